class Memo:
    """Cache of parsed values; used only by the parser."""

    def __init__(self, length: int) -> None: ...
