"""Springs, dampers, inertias and limits that came after MuJoCo 3.2.7, simulated as 4.0."""
