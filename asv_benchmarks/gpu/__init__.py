"""The stages of `gpu_run.py`: what a GPU is asked for, how processes are watched that may hang or lose it, and the tables."""
