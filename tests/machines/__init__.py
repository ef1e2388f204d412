"""Every column that a step computes, from every machine, against `forward` at the state that it belongs to.

python -m tests.machines DIR_OR_FILES [--json OUT] [--format F]
"""
