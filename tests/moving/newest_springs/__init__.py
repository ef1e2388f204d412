"""Springs and dampers that are disabled separately, as in MuJoCo 4.0."""
