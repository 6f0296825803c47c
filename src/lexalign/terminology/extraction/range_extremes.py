"""The lowest value in any range of an array, by a table of ranges of 1, 2, 4 … values (Bender et al. 2000).

values       5  2  7  1  9        the range from 1 to before 4 has three values: the lower of
of two       2  2  1  1  9        those of two from 1 on and of two from 2 on, which overlap
"""

import numpy as np

from lexalign.terminology.extraction.text_words import Indexes


class RangeMinimum:
    def __init__(self, values: Indexes, longest: int) -> None:
        """For ranges of up to `longest` values."""
        self._levels = [values]
        while 1 << len(self._levels) <= longest:
            before, step = self._levels[-1], 1 << (len(self._levels) - 1)
            longer = before.copy()
            np.minimum(before[:-step], before[step:], out=longer[:-step])
            self._levels.append(longer)

    def over(self, first: Indexes, last: Indexes) -> Indexes:
        """The lowest of the values `first` to before `last`, which are at least one."""
        level = np.frexp(last - first)[1].astype(np.int64) - 1
        found = np.empty_like(first)
        for number, values in enumerate(self._levels):
            chosen = np.flatnonzero(level == number)
            found[chosen] = np.minimum(values[first[chosen]], values[last[chosen] - (1 << number)])
        return found
