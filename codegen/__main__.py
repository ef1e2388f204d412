"""``python -m codegen`` in a checkout, ``python -m polybody.codegen`` once installed."""
