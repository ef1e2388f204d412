"""Scenes with contacts and loops in the robot formats, compared with theory and with the formats' engines.

python -m benchmarks.scenes            the tables of docs/contacts.md
python -m benchmarks.scenes --ours     without the engines
"""
