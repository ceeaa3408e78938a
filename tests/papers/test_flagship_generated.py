"""Generated tables with and without clusters."""

import numpy as np
import pytest

from papers.flagship_generated import NULLS, STRUCTURED, generated_table


@pytest.mark.parametrize("kind", [*STRUCTURED, *NULLS])
def test_a_table_has_one_class_per_row_and_only_structured_kinds_have_several(kind):
    for seed in range(3):
        made, again = generated_table(kind, seed), generated_table(kind, seed)
        np.testing.assert_array_equal(made.X, again.X)
        assert made.X.shape[0] == len(made.classes)
        assert np.isfinite(made.X).all()
        assert (len(np.unique(made.classes)) > 1) == (kind in STRUCTURED)
        assert made.classes.max() + 1 == len(np.unique(made.classes))
