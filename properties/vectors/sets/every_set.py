"""Every set of vectors, in the order in which an implementation grows."""

from properties.vectors.sets.copying import COPYING
from properties.vectors.sets.log import LOG
from properties.vectors.sets.progress import PROGRESS
from properties.vectors.sets.reading import READING
from properties.vectors.sets.registration import REGISTRATION
from properties.vectors.sets.store import STORE

SETS = (LOG, READING, PROGRESS, COPYING, REGISTRATION, STORE)
