"""Documents lowered to Models: the meaning of each line of a format, and joints compared with independent
engines.
"""
