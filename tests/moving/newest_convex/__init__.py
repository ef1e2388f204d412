"""Models as of MuJoCo 4.0, compared with what MuJoCo 4.0 computed: facts.npz, which asked.py writes."""
