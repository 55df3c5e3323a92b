"""Every set of vectors, in the order in which an implementation grows."""

from properties.vectors.copying import COPYING
from properties.vectors.log import LOG
from properties.vectors.progress import PROGRESS
from properties.vectors.reading import READING
from properties.vectors.registration import REGISTRATION
from properties.vectors.store import STORE

SETS = (LOG, READING, PROGRESS, COPYING, REGISTRATION, STORE)
