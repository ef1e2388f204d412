class Memo:
    """Values parsed before; for the parse alone."""
