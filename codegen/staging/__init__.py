"""Write an algorithm once, execute it three ways: run it, specialise it to one model, emit it as loops."""
