"""Scenes of contacts and loops in the formats of robots, measured against theory and the formats' engines.

python -m benchmarks.scenes            the tables of docs/contacts.md
python -m benchmarks.scenes --ours     without the engines
"""
