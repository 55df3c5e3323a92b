"""Rules with one mistake each, and the judges that find it: tests of the model's own checks."""
