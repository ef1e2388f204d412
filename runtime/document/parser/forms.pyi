"""Lexical forms; for the parser and the validator alone."""
