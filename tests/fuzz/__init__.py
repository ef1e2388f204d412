"""Fuzzing: malformed and unusual documents, passed to everything that accepts documents.

    python -m tests.fuzz --minutes 60 --format mjcf --seed 7

cases one test case: files and how they are used; how cases are made from seeds grammar random documents from
a format's tables, with malicious values mutations changed documents: bytes, pieces, parts of others verdict
the properties that every case must have child a process that evaluates cases within limits of the operating
system minimise the smallest case that still fails
"""
