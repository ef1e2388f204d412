class Memo:
    """Values parsed before; for the parse alone."""

    def __init__(self, length: int) -> None: ...
