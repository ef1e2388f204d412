"""Documents that nobody would write, tried against everything that takes them.

    python -m tests.fuzz --minutes 60 --format mjcf --seed 7

cases        what one try is: files and what is done with them; and how they are made from seeds
grammar      random documents from a format's tables, with values that mean harm
mutations    documents changed: bytes, pieces, parts of others
verdict      what must hold of a case
child        a process that gives verdicts, within bounds of the operating system
minimise     the smallest case that still fails
"""
