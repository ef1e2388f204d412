"""Contacts, their sensors, and sensors of rays, volumes and energies as of MuJoCo 4.0, compared with it."""
