"""ModelBuilder, assemblies and the columns made of their parts."""
