"""Lexical forms; used only by the parser and the validator."""
