from .labels import lazy_labels as lazy_labels
from .labels import write_labels as write_labels
from .sources import Parts as Parts
from .sources import parts as parts
