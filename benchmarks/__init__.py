"""Speed compared with the reference engines and readers; ``python -m benchmarks`` prints one table of
ratios.
"""
