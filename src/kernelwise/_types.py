"""The type alias that every package shares."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
