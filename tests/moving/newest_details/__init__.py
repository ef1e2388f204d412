"""What else differs as of MuJoCo 4.0: columns and steps of models that show a detail each."""
