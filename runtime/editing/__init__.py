"""Searches in documents, and edits that leave no reference without its element.

Each function has a module of its own, so that none imports what only others need.
"""
