"""Every set of vectors, in the order in which an implementation grows."""

from properties.vectors.log import LOG
from properties.vectors.reading import READING

SETS = (LOG, READING)
