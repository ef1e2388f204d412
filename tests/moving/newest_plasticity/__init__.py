"""Springs that yield, as in MuJoCo 4.0."""
