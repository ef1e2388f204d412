class Field:
    """An attribute by name, of objects or, as a key, of dicts; for compiled modules.

    Args:
        name: the name of the attribute.
    """

    name: str
    def __init__(self, name: str) -> None: ...
