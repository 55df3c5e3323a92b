"""Large campaigns of random failure schedules: compiled kernel, Spark job, replay."""
