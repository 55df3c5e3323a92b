"""Every set of vectors, in the order in which an implementation grows."""

from properties.exports.vectors.sets.copying import COPYING
from properties.exports.vectors.sets.log import LOG
from properties.exports.vectors.sets.progress import PROGRESS
from properties.exports.vectors.sets.reading import READING
from properties.exports.vectors.sets.registration import REGISTRATION
from properties.exports.vectors.sets.store import STORE

SETS = (LOG, READING, PROGRESS, COPYING, REGISTRATION, STORE)
