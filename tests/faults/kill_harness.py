"""Kills runs of families at random moments, or between any two of their writes.

Then lets them go on, and compares with what nothing disturbed.
"""

import shutil
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field

import numpy as np
from kill_folder import damaged, leftovers
from kill_moments import STAGES
from kill_outcomes import differences
from kill_process import run

# Of the kills at moments of writing; of a run that was killed, to be killed again.
_WRITING, _AGAIN = 0.5, 0.35


@dataclass
class Row:
    """What came of the kills of one family."""

    family: str
    kills: int = 0
    # Kills that a process did itself within a write, or that left a temporary file behind.
    while_writing: int = 0
    # Undisturbed ends after kills, and how many of them went on from what had been saved.
    resumed: int = 0
    from_saved: int = 0
    equal: int = 0
    failures: list[str] = field(default_factory=list)
    # Names of the boundaries at which it was killed, if these are what it was killed at.
    boundaries: list[str] = field(default_factory=list)


COUNTS = ("kills", "while_writing", "resumed", "from_saved", "equal")


class Subject:
    """A family, the result of its undisturbed run, and the moments of one with checkpoints.

    Parameters
    ----------
    family : family
    place : Path
        A folder for everything.
    """

    def __init__(self, family, place):
        self.family, self.row, self._place = family, Row(family.name), place
        place.mkdir()
        if hasattr(family, "prepare"):
            (place / "data").mkdir()
            family.prepare(place / "data")
        (place / "whole").mkdir()
        # Here, so that the processes that are forked have everything imported and compiled.
        self.whole = family.whole(place / "whole")
        (place / "measured").mkdir()
        self._measured = run(family, place / "measured" / "run")
        self._compare(self._measured, "with checkpoints, undisturbed")

    def be_killed(self, rng, most):
        """Begin in a new folder, be killed at least once, at most ``most`` times, and go on to the end."""
        course = self._place / f"course-{self.row.kills}"
        folder = course / "run"
        course.mkdir()
        said = ended = None
        for _ in range(most):
            moment = self._moment(rng)
            ended = self._run(folder, **moment)
            if not ended.killed:
                break
            said = f"killed {_told(moment)}"
            self.row.kills += 1
            if self._left(folder) or "moment" in moment:
                self.row.while_writing += 1
            if found := damaged(folder):
                self.row.failures += [f"{said}: {one}" for one in found]
                break
            if rng.random() >= _AGAIN:
                break
        if said is not None and not damaged(folder):
            self._go_on(folder, said, ended)
        if not self.row.failures:
            shutil.rmtree(course)

    @property
    def boundaries(self):
        """Numbers of the boundaries to be killed at: of each name the first two and the last."""
        numbers = defaultdict(list)
        for number, name in enumerate(self._measured.boundaries):
            numbers[name].append(number)
        return sorted({number for found in numbers.values() for number in (*found[:2], found[-1])})

    def be_killed_before(self, number):
        """Begin in a new folder, be killed at a boundary, and go on to the end."""
        said = f"killed before: {self._measured.boundaries[number]} ({number})"
        course = self._place / f"boundary-{number}"
        course.mkdir()
        ended = self._run(course / "run", moment={"boundary": number})
        if not ended.killed:
            self.row.failures.append(f"{said}: never came there, {ended.error or 'with other writes'}")
            return
        self.row.kills += 1
        self.row.while_writing += 1
        self.row.boundaries.append(self._measured.boundaries[number])
        found = damaged(course / "run")
        self.row.failures += [f"{said}: {one}" for one in found]
        if not found:
            self._go_on(course / "run", said, ended)
        shutil.rmtree(course)

    def _go_on(self, folder, said, ended):
        """To the end, which must be that of the undisturbed run."""
        if ended.killed:
            ended = self._run(folder)
        self.row.resumed += 1
        self.row.equal += self._compare(ended, said)
        self.row.from_saved += ended.n_loaded > 0
        # Whoever writes again removes what killed writers have left.
        if ended.boundaries and (left := leftovers(folder)):
            names = ", ".join(sorted(str(path.relative_to(folder)) for path in left))
            self.row.failures.append(f"{said}: {names} stayed")
        if self._begun and not ended.error and not ended.n_loaded:
            self.row.failures.append(f"{said}: started over, although there was something to go on from")

    def _run(self, folder, **moment):
        self._before, self._begun = leftovers(folder), self.family.begun(folder)
        return run(self.family, folder, fresh=getattr(self.family, "fresh", False), **moment)

    def _left(self, folder):
        return leftovers(folder) - self._before

    def _moment(self, rng):
        """Some moment of writing, or any time of the run."""
        seen = [stage for stage in STAGES if self._measured.seen.get(stage)]
        if rng.random() >= _WRITING or not seen:
            return {"after": float(rng.uniform(0, self._measured.seconds))}
        stage = seen[rng.integers(len(seen))]
        number = int(rng.integers(self._measured.seen[stage]))
        share = float(rng.random())
        return {"moment": {"stage": stage, "number": number, "share": share, "sizes": self._measured.sizes}}

    def _compare(self, ended, said):
        if ended.error:
            self.row.failures.append(f"{said}: {ended.error}")
            return False
        if names := differences(self.whole, ended.outcome):
            self.row.failures.append(f"{said}: other {', '.join(names)}")
        return not names


def _told(moment):
    if "after" in moment:
        return f"after {moment['after']:.3f} s"
    return "{stage}, number {number}, {share:.0%} of the bytes".format(**moment["moment"])


def campaign(families, *, kills, seed, place, tell=lambda text: None):
    """Kill so many times in all, families in turn.

    Parameters
    ----------
    families : list
    kills : int
    seed : int
        Of the moments.
    place : Path
        An empty folder.
    tell : callable
        Hears of progress.

    Returns
    -------
    dict
        ``rows`` (one for each family), ``kills``, ``seconds`` and the like, as JSON has them.
    """
    start = time.monotonic()
    rng = np.random.default_rng(seed)
    subjects = []
    for number, family in enumerate(families[: max(kills, 1)]):
        tell(f"undisturbed: {family.name}")
        subjects.append(Subject(family, place / str(number)))
    while (left := kills - sum(subject.row.kills for subject in subjects)) > 0:
        # A family that fails is not killed again: the rest of its row would say the same.
        sound = [subject for subject in subjects if not subject.row.failures]
        if not sound:
            break
        subject = min(sound, key=lambda one: one.row.kills)
        tell(f"{left} left: {subject.family.name}")
        subject.be_killed(rng, min(left, 3))
    return _figures(subjects, start, seed=seed)


def between_writes(families, *, place, most=None, tell=lambda text: None):
    """Kill every family at each boundary between two of its writes, once.

    Parameters
    ----------
    families : list
    place : Path
        An empty folder.
    most : int, optional
        Boundaries of a family, the first, the last and others evenly between them.
    tell : callable
        Hears of progress.

    Returns
    -------
    dict
        As that of :func:`campaign`.
    """
    start = time.monotonic()
    subjects = []
    for at, family in enumerate(families):
        subject = Subject(family, place / str(at))
        subjects.append(subject)
        numbers = subject.boundaries
        if most is not None and most < len(numbers):
            numbers = [numbers[each] for each in np.linspace(0, len(numbers) - 1, most).round().astype(int)]
        tell(f"{family.name}: {len(numbers)} boundaries")
        for boundary in numbers:
            subject.be_killed_before(boundary)
    return _figures(subjects, start)


def _figures(subjects, start, **more):
    rows = [subject.row for subject in subjects]
    total = {name: sum(getattr(row, name) for row in rows) for name in COUNTS}
    return {
        **more,
        "families": len(rows),
        **total,
        "failures": sum(len(row.failures) for row in rows),
        "seconds": round(time.monotonic() - start, 1),
        "rows": [asdict(row) for row in rows],
    }
