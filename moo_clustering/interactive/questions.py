"""Select the next question, and apply an answer.

A :class:`State` contains the answers and groups of a session. An :class:`Inquiry` selects the next question
for a state, and returns the inquiry that follows an answer. A question asks whether two groups belong to the
same class, or which group a sample belongs to. Questions are ranked by the probability that the current
grouping is wrong, times the number of affected samples. A sample is compared with the oldest anchors of a
group. If it were compared with the nearest anchors, a single wrong answer could mix two classes.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit

from moo_clustering._arrays import FloatArray, IntpArray, number_clusters
from moo_clustering._parallel import one_thread
from moo_clustering.interactive.partition import QuestionPool, Spread

# A sample is placed in a group if its posterior probability is at least _PLACED for uncertain answers, or at
# least _PLACED_CERTAIN for certain answers.
_PLACED, _PLACED_CERTAIN = 0.7, 0.9
# Two groups are joined if the log-odds that they are the same class exceed this value. With an error rate of
# 0.03 and a prior probability of at least 1/9, a single "together" suffices.
_JOINED = math.log(4.0)
# A sample is compared with at most _N_FOUNDERS of the oldest anchors of a group. Two groups are compared by
# at most _N_GROUP_FOUNDERS of their oldest anchors.
_N_FOUNDERS, _N_GROUP_FOUNDERS = 5, 4
# A sample is set aside for _ASIDE answers after _UNKNOWNS consecutive "unknown" answers about it.
_ASIDE, _UNKNOWNS = 10, 2
_LARGE = 0.05  # a group is large if it has at least this share of the samples
_PRIOR_REPEATS, _WORST, _LEAST_RATE = 4.0, 0.45, 0.001

Pair = tuple[int, int]


class PairAnswer(NamedTuple):
    """An answer about points i and j. ``sign`` is 1 for together, -1 for apart and 0 for unknown."""

    i: int
    j: int
    sign: int
    volunteered: bool
    odds: float  # log-odds that the answer is correct


class Proposal(NamedTuple):
    """A question about two points (the second is the older anchor), or about the class name of one point."""

    kind: Literal["groups", "sample", "repeat"]
    points: tuple[int, ...]
    probability: float  # probability that the points belong together
    value: float = 0.0  # expected benefit of asking
    groups: tuple[int, ...] = ()


@dataclass
class State:
    """The state of a session. Each answer changes a copy of it."""

    anchors: dict[int, int] = field(default_factory=dict)  # group number of each anchor, oldest first
    names: dict[int, str] = field(default_factory=dict)
    answers: list[PairAnswer] = field(default_factory=list)
    asked: set[Pair] = field(default_factory=set)
    together: int = 0  # number of "together" answers about groups
    apart: int = 0
    pending: int | None = None  # point about which a series of questions is being asked
    unknowns: int = 0  # number of consecutive "unknown" answers about ``pending``
    aside: dict[int, int] = field(default_factory=dict)  # a point is set aside until n_answers reaches this
    named: dict[int, float] = field(default_factory=dict)  # probability that a point's name is wrong
    n_answers: int = 0
    n_identities: int = 0

    def copy(self) -> State:
        return replace(self, **{name: copy(value) for name, value in vars(self).items()})

    def found(self, point: int) -> None:
        """Make a point the first anchor of a new group, unless it is an anchor already."""
        if point not in self.anchors:
            self.anchors[point] = self.new_identity()

    def new_identity(self) -> int:
        self.n_identities += 1
        return self.n_identities - 1

    def join(self, first: int, second: int) -> None:
        """Join two groups into one group with the identity of the first."""
        if first == second:
            return
        for point, identity in self.anchors.items():
            if identity == second:
                self.anchors[point] = first
        if (name := self.names.pop(second, None)) is not None:
            self.names.setdefault(first, name)

    def joined(self, point: int) -> set[int]:
        """Return all points linked to a point by chains of "together" answers, including the point itself."""
        links = [{i, j} for i, j, sign, *_ in self.answers if sign > 0]
        found = {point}
        while new := [link for link in links if link & found and not link <= found]:
            found |= set().union(*new)
        return found


def learnt_error_rate(agreed: int, differed: int, *, prior: float) -> float:
    """Estimate the error rate, to four digits, from how many repeated answers agreed or differed."""
    # Two answers with error rate e differ with probability 2 e (1 - e). This probability has a Beta prior.
    # The mean of the prior is the value for e = ``prior``, and the prior weighs as much as four repeats.
    differing = 2.0 * prior * (1.0 - prior) * _PRIOR_REPEATS + differed
    share = differing / (_PRIOR_REPEATS + agreed + differed)
    return round(min((1.0 - math.sqrt(max(1.0 - 2.0 * share, 0.0))) / 2.0, _WORST), 4)


def log_odds(error_rate: float) -> float:
    """Return the log-odds that an answer is correct, or 60 if the error rate is 0."""
    return math.log((1.0 - error_rate) / error_rate) if error_rate else 60.0


def ordered(i: int, j: int) -> Pair:
    return (i, j) if i < j else (j, i)


class Inquiry:
    """A state of a session, with its partition and its next question.

    If the partition is already known, it is passed as ``spread``.
    """

    def __init__(
        self,
        base: QuestionPool,
        state: State,
        *,
        error_rate: float,
        names: bool,
        seed: int,
        spread: Spread | None = None,
    ) -> None:
        self.base, self.state, self.error_rate, self.names, self.seed = base, state, error_rate, names, seed
        self.certain = error_rate == 0.0
        self.strength = log_odds(error_rate)
        if spread is not None:
            self.spread = spread

    def odds(self, confidence: float | None) -> float:
        """Return the log-odds that an answer is correct. The default confidence is 1 - ``error_rate``."""
        return self.strength if confidence is None else log_odds(max(1.0 - confidence, _LEAST_RATE))

    @cached_property
    def spread(self) -> Spread:
        state = self.state
        points = np.array([*state.anchors], dtype=np.intp)
        groups = number_clusters(np.array([*state.anchors.values()], dtype=np.intp))[0].astype(np.intp)
        # Answers to questions determine the anchors, so the pairs contain only volunteered answers.
        asked = [a for a in state.answers if a.volunteered and a.sign]
        loose = [a for a in asked if not {a.i, a.j} <= state.anchors.keys()]
        pairs = np.array([(a.i, a.j) for a in loose], dtype=np.int64).reshape(-1, 2)
        # If an answer is uncertain, partitions that violate the answer lose less likelihood.
        signs = np.array([np.clip(a.sign * a.odds / self.strength, -1.0, 1.0) for a in loose])
        spread = Spread(self.base, points, groups, pairs, signs)
        if not self.names or self.certain or spread.n_real < 2:
            return spread
        # With names, no sample is asked about twice, so wrong names are corrected by predictions.
        with one_thread():
            rates = np.array([state.named.get(point, self.error_rate) for point in state.anchors])
            corrected = spread.corrected_groups(rates)
        slips = corrected != groups
        if not slips.any():
            return spread
        # Corrected anchors are put last, because they must not start new groups.
        order = np.argsort(slips, kind="stable")
        groups = number_clusters(corrected[order])[0].astype(np.intp)
        return Spread(self.base, points[order], groups, pairs, signs)

    def at(self, state: State, *, same_partition: bool = False) -> Inquiry:
        """Return an inquiry with the same settings for another state of the session."""
        spread = self.spread if same_partition else None
        return Inquiry(
            self.base, state, error_rate=self.error_rate, names=self.names, seed=self.seed, spread=spread
        )

    @cached_property
    def founders(self) -> list[list[int]]:
        """Representatives of each group: its anchors, oldest first, or the medoid of a provisional group."""
        points, groups = self.spread.representatives
        return [points[groups == group].tolist() for group in range(self.spread.n_groups)]

    @cached_property
    def standing_for(self) -> IntpArray:
        """Group that each point represents, or -1 for points that are not representatives."""
        group_of = np.full(self.base.n_points, -1)
        points, groups = self.spread.representatives
        group_of[points] = groups
        return group_of

    @cached_property
    def _between_groups(self) -> FloatArray:
        """Log-odds that two groups are the same class, computed only from answers."""
        total = np.zeros((self.spread.n_groups, self.spread.n_groups))
        for answer in self.state.answers:
            g, h = self.standing_for[answer.i], self.standing_for[answer.j]
            if answer.sign and g >= 0 and h >= 0 and g != h:
                total[[g, h], [h, g]] += answer.sign * answer.odds
        return total

    def _about(self, point: int, state: State) -> FloatArray:
        """Return the log-odds that a point belongs to each group, computed from answers about this point."""
        total = np.zeros(self.spread.n_groups)
        for answer in state.answers:
            if point in (answer.i, answer.j) and (g := self._compared(point, answer)) >= 0:
                total[g] += answer.sign * answer.odds
        return total

    def _compared(self, point: int, answer: PairAnswer) -> int:
        """Return the group that the other point of an answer represents, or -1 if it represents none."""
        return int(self.standing_for[answer.j if answer.i == point else answer.i])

    @cached_property
    def group_logits(self) -> FloatArray:
        """Log-odds that two groups belong to the same class, shape (n_groups, n_groups)."""
        spread, state = self.spread, self.state
        typical = spread.typical
        answered = state.together + state.apart
        usual = (state.together + 0.2) / (answered + 2.0)
        floor = np.full(spread.n_groups, usual)
        floor[spread.n_real :] = max(usual, 1.0 - spread.new_share)
        # The nearer two groups are, the higher is the prior probability that they are the same class.
        near = floor[:, None] / self._ranks()
        p = np.maximum(spread.together(typical, typical), np.maximum(near, near.T))
        return logit(np.clip(p, 1e-6, 1.0 - 1e-6)) + self._between_groups

    def _ranks(self) -> FloatArray:
        """Return the ranks of all groups by distance from each group (row), starting at 1 for the nearest."""
        spread, base = self.spread, self.base
        n = spread.n_groups
        if base.features is not None:
            members = np.zeros((n, base.n_points))
            members[spread.group, np.arange(base.n_points)] = base.masses
            means = members @ base.features / spread.sizes[:, None]
            squares = (means**2).sum(axis=1)
            away = squares[:, None] + squares - 2.0 * means @ means.T
        else:
            weight_of = np.zeros(base.pool.n_partitions)
            weight_of[spread.kept] = spread.weights
            tables = spread.tables
            away = -(tables.T @ (tables * weight_of[base.owner][:, None]))
            away /= spread.sizes[:, None] * spread.sizes
        away = np.round(away, 9)
        np.fill_diagonal(away, -np.inf)
        ranks = np.argsort(np.argsort(away, axis=1, kind="stable"), axis=1)
        return np.maximum(ranks, 1.0)

    def name_of(self, group: int) -> str | None:
        identity = self.state.anchors.get(self.founders[group][0])  # None if the group is provisional
        return None if identity is None else self.state.names.get(identity)

    @cached_property
    def proposal(self) -> Proposal | None:
        pending = self.state.pending
        with one_thread("blas"):
            if pending is not None and (found := self._about_sample(pending, 0.0)) is not None:
                return found
            of_groups = self._group_proposal()
            of_sample = self._sample_proposal(above=-1.0 if of_groups is None else of_groups.value)
            return of_sample or of_groups or self._sample_proposal(aside=True) or self._recheck()

    def _group_proposal(self) -> Proposal | None:
        spread = self.spread
        if spread.n_groups < 2:
            return None
        p = expit(self.group_logits)
        values = (p if self.certain else np.minimum(p, 1.0 - p)) * spread.sizes[:, None] * spread.sizes
        first, second = np.triu_indices(spread.n_groups, 1)
        values = values[first, second]
        if self.certain:
            values[self._between_groups[first, second] != 0] = -1.0
        for place in np.argsort(-values, kind="stable"):
            if values[place] < 0:
                break
            g, h = int(first[place]), int(second[place])
            points = self._unnamed_of(g, h) if self.names else self._unasked_of(g, h)
            if points is not None:
                groups = (g, h) if len(points) == 2 else (int(spread.group[points[0]]), h)
                return Proposal("groups", points, float(p[g, h]), float(values[place]), groups)
        return None

    def _unasked_of(self, g: int, h: int) -> tuple[int, ...] | None:
        for a in self.founders[g][:_N_GROUP_FOUNDERS]:
            for b in self.founders[h][:_N_GROUP_FOUNDERS]:
                if ordered(a, b) not in self.state.asked:
                    return a, b
        return None

    def _unnamed_of(self, g: int, h: int) -> tuple[int, ...] | None:
        """Select a point of an unnamed group, preferably the larger one, that is not set aside."""
        for group in sorted((g, h), key=lambda c: -self.spread.sizes[c]):
            if self.name_of(group) is None:
                point = self.founders[group][0]
                if self.state.aside.get(point, 0) <= self.state.n_answers:
                    return (point,)
        return None

    def _sample_proposal(self, *, above: float = -1.0, aside: bool = False) -> Proposal | None:
        """Return the most valuable question about a sample, or None if its value is at most ``above``."""
        spread, state = self.spread, self.state
        free = np.ones(self.base.n_points, dtype=np.bool_)
        free[spread.representatives[0]] = False
        waiting = [point for point, until in state.aside.items() if until > state.n_answers]
        free[waiting] &= aside
        candidates = self._candidates(np.flatnonzero(free))
        if not len(candidates):
            return None
        sizes = spread.sizes[spread.group[candidates]]
        values = spread.error[candidates] * sizes * spread.reductions(candidates)
        for place in np.argsort(-values, kind="stable"):
            point, value = int(candidates[place]), float(values[place])
            if value <= above:
                return None
            if self.names:
                return Proposal("sample", (point,), 1.0 - float(spread.error[point]), value)
            if (found := self._about_sample(point, value)) is not None:
                return found
        return None

    def _candidates(self, free: IntpArray) -> IntpArray:
        """Select 30 points in clusters with many errors, the 30 least certain points and 30 random points."""
        spread, n = self.spread, 30
        if len(free) <= 3 * n:
            return free
        uncertain = spread.error * self.base.masses
        zeros = np.zeros(self.base.n_points, dtype=np.intp)
        # ``near`` is the expected number of misplaced samples in the clusters that contain each point.
        sums = spread.count(zeros, 1, uncertain)
        near = spread.membership(np.arange(self.base.n_points), zeros, sums)
        rng = np.random.default_rng([self.seed, self.state.n_answers])
        chosen = [
            free[np.argsort(-np.round(near[free], 9), kind="stable")[:n]],
            free[np.argsort(-np.round(spread.error[free], 9), kind="stable")[:n]],
            rng.choice(free, n, replace=False),
            np.array([p for a in self.state.answers if a.volunteered for p in (a.i, a.j)], dtype=np.intp),
        ]
        return np.intersect1d(np.concatenate(chosen), free)

    def _about_sample(self, point: int, value: float) -> Proposal | None:
        q, state = self.posterior(point), self.state
        order = np.argsort(-q[:-1], kind="stable").tolist()
        if state.pending is None:
            own = int(self.spread.group[point])
            order.remove(own)
            order.insert(0, own)
        elif state.unknowns and len(order) > 1:
            # After an "unknown" answer, the next question is about another group.
            group = self._compared(point, state.answers[-1])
            if group in order:
                order.remove(group)
                order.append(group)
        for group in order:
            for other in self.founders[group][:_N_FOUNDERS]:
                if other != point and ordered(point, other) not in state.asked:
                    return Proposal("sample", (point, other), float(q[group]), value)
        return None

    def _recheck(self) -> Proposal | None:
        """Return a question about an anchor that no "together" answers link to its group's oldest anchor."""
        if self.names:
            return None
        spread, state = self.spread, self.state
        loose = []
        for g in range(spread.n_real):
            founder, *others = self.founders[g]
            joined = state.joined(founder)
            loose += [(spread.probabilities[p, g], p) for p in others if p not in joined | state.named.keys()]
        found = (self._about_sample(point, 0.0) for _, point in sorted(loose))
        return next((proposal for proposal in found if proposal is not None), None)

    def posterior(self, point: int, state: State | None = None) -> FloatArray:
        """Return the probability that a point belongs to each group and, as last entry, to a new group."""
        spread, base = self.spread, self.base
        state = self.state if state is None else state
        votes = spread.votes[point]
        nowhere = max(1.0 - float(votes.sum()), 0.0)
        n_real, n_groups = spread.n_real, spread.n_groups
        provisional = spread.group[point] >= n_real
        sizes = np.bincount(spread.groups, minlength=max(n_real, 1))
        # The share of unseen classes is a Good-Turing estimate from the classes with a single anchor.
        unseen = ((sizes[:n_real] == 1).sum() + 0.5) / (len(spread.points) + 1.0)
        if point in state.anchors:
            # The votes of an anchor depend on its assigned group, so they are ignored.
            q, new = np.ones(n_groups), unseen
        else:
            q = votes.copy()
            if n_real >= 2 and not provisional:
                q *= 0.5
                q[:n_real] += 0.5 * spread.probabilities[point] * max(1.0 - nowhere, 0.5)
            near = base.kernel[point, spread.typical]
            q += 0.1 * near / max(float(near.sum()), 1e-12)
            new = max(nowhere * (spread.new_share if provisional or n_real < 2 else unseen), unseen)
        new = min(new, 0.95)
        q = np.append(q * ((1.0 - new) / max(float(q.sum()), 1e-12)), new)
        logs = np.log(np.maximum(q, 1e-12))
        logs[:-1] += self._about(point, state)
        q = np.exp(logs - logs.max())
        return q / q.sum()

    def _is_clear(self, q: FloatArray) -> bool:
        return bool(q.max() >= (_PLACED_CERTAIN if self.certain else _PLACED))

    def _next_state(self) -> State:
        state = self.state.copy()
        state.n_answers += 1
        return state

    def after_pair(self, proposal: Proposal, sign: int, odds: float) -> Inquiry:
        state, (a, b) = self._next_state(), proposal.points
        state.asked.add(ordered(a, b))
        answer = PairAnswer(a, b, sign, False, odds)
        state.answers.append(answer)
        if proposal.kind == "sample":
            return self._after_sample(state, a, sign)
        if not sign:
            return self.at(state, same_partition=True)
        state.together += sign > 0
        state.apart += sign < 0
        state.found(a)
        state.found(b)
        self._join_if_likely(state, answer)
        self._join_at_end(state)
        return self.at(state)

    def after_repeat(self, i: int, j: int, sign: int, odds: float) -> Inquiry:
        """Return the inquiry that follows a repeated question. ``sign`` is 0 unless both answers agree."""
        state = self._next_state()
        if sign:
            answer = PairAnswer(i, j, sign, False, odds)
            state.answers.append(answer)
            if {i, j} <= state.anchors.keys():
                self._join_if_likely(state, answer)
        return self.at(state, same_partition=state.anchors == self.state.anchors)

    def _join_if_likely(self, state: State, answer: PairAnswer) -> None:
        first, second = state.anchors[answer.i], state.anchors[answer.j]
        if answer.sign > 0 and first != second:
            g, h = self.standing_for[answer.i], self.standing_for[answer.j]
            if self.certain or self.group_logits[g, h] + answer.odds > _JOINED:
                state.join(first, second)

    def _join_at_end(self, state: State) -> None:
        """Join two groups with more "together" than "apart" answers if no further answer is possible."""
        # No further answer is possible if every point is an anchor, and all pairs of the groups' oldest
        # anchors have been asked about.
        if len(state.anchors) < self.base.n_points:
            return
        net: dict[Pair, int] = {}
        for i, j, sign, *_ in state.answers:
            between = ordered(state.anchors[i], state.anchors[j])
            net[between] = net.get(between, 0) + sign
        members: dict[int, list[int]] = {}
        for point, identity in state.anchors.items():
            members.setdefault(identity, []).append(point)
        for (first, second), sign in net.items():
            founders = product(*(members[g][:_N_GROUP_FOUNDERS] for g in (first, second)))
            if sign > 0 and first != second and all(ordered(a, b) in state.asked for a, b in founders):
                state.join(first, second)
                return

    def _after_sample(self, state: State, point: int, sign: int) -> Inquiry:
        here = self.at(state, same_partition=True)
        if not sign:
            state.unknowns = state.unknowns + 1 if state.pending == point else 1
            state.pending = point
            if state.unknowns >= _UNKNOWNS or here._about_sample(point, 0.0) is None:
                state.aside[point] = state.n_answers + _ASIDE
                state.pending, state.unknowns = None, 0
            return here
        state.pending, state.unknowns = point, 0
        q = self.posterior(point, state)
        if not self._is_clear(q) and here._about_sample(point, 0.0) is not None:
            return here
        self._place(state, point, int(q.argmax()))
        self._join_at_end(state)
        return self.at(state)

    def _place(self, state: State, point: int, group: int) -> None:
        about = [answer for answer in state.answers if answer.sign and point in (answer.i, answer.j)]
        asked_about = {self._compared(point, answer) for answer in about}
        # Provisional groups that were compared with the point become real, so their medoids become anchors.
        for g in sorted(asked_about | {group}):
            if self.spread.n_real <= g < self.spread.n_groups:
                state.found(self.founders[g][0])
        if group == self.spread.n_groups or self.founders[group] == [point]:
            identity = state.new_identity()
        else:
            identity = state.anchors[self.founders[group][0]]
        self._anchor(state, point, identity)
        if state.pending == point:
            state.pending, state.unknowns = None, 0
        state.aside.pop(point, None)

    def _anchor(self, state: State, point: int, identity: int) -> None:
        """Make a point, and points linked to it by volunteered "together" answers, anchors of a group."""
        state.anchors[point] = identity
        reached, grew = {point}, True
        while grew:
            grew = False
            for i, j, sign, volunteered, _ in state.answers:
                if volunteered and sign > 0 and (i in reached) != (j in reached):
                    other = j if i in reached else i
                    if other not in state.anchors:
                        state.anchors[other] = identity
                        reached.add(other)
                        grew = True

    def after_volunteered(self, i: int, j: int, sign: int, odds: float) -> Inquiry:
        """Return the inquiry that follows an answer about two points that the user chose."""
        state = self._next_state()
        if i == j:
            # Both samples have the same landmark, so they are in the same group anyway.
            return self.at(state, same_partition=True)
        state.asked.add(ordered(i, j))
        answer = PairAnswer(i, j, sign, True, odds)
        state.answers.append(answer)
        if not sign:
            return self.at(state, same_partition=True)
        known = [point for point in (i, j) if point in state.anchors]
        if len(known) == 2:
            if state.anchors[i] != state.anchors[j]:
                self._join_if_likely(state, answer)
            elif sign < 0:
                # The answer contradicts a group, so the more recent of the two anchors is placed again.
                younger = max(known, key=list(state.anchors).index)
                q = self.posterior(younger, state)
                if self._is_clear(q):
                    self._place(state, younger, int(q.argmax()))
                else:
                    state.pending, state.unknowns = younger, 0
        elif known:
            point = j if known == [i] else i
            q = self.posterior(point, state)
            if self._is_clear(q):
                self._place(state, point, int(q.argmax()))
            if sign < 0:
                self._place_if_apart_from_all(state, point)
        elif sign < 0:
            self._place_if_apart_from_all(state, i)
            self._place_if_apart_from_all(state, j)
        return self.at(state)

    def _place_if_apart_from_all(self, state: State, point: int) -> None:
        """Start a new group with a point and its linked points if all large groups are "apart" from them."""
        if point in state.anchors or not self.spread.n_real:
            return
        members = state.joined(point)
        apart = {
            int(self.standing_for[j if i in members else i])
            for i, j, sign, *_ in state.answers
            if sign < 0 and (i in members) != (j in members)
        }
        large = np.flatnonzero(self.spread.sizes >= _LARGE * self.base.masses.sum())
        if not members & set(state.anchors) and set(large.tolist()) <= apart:
            self._anchor(state, point, state.new_identity())

    def after_unnamed(self, point: int) -> Inquiry:
        state = self._next_state()
        state.aside[point] = state.n_answers + _ASIDE
        return self.at(state, same_partition=True)

    def after_name(
        self, point: int, name: str, *, whole_group: bool = False, confidence: float | None = None
    ) -> Inquiry:
        """Return the inquiry that follows when the user names a point or its whole group."""
        state = self._next_state()
        of_name = {text: identity for identity, text in state.names.items()}
        group = int(self.standing_for[point])
        if self.spread.n_real <= group:
            # If the name is already in use, the provisional group is the same class as another group.
            state.together += name in of_name
            state.apart += name not in of_name
        identity = state.anchors.get(point)
        if identity is not None and (whole_group or identity not in state.names):
            if name in of_name:
                state.join(of_name[name], identity)
            state.names[state.anchors[point]] = name
        elif name in of_name:
            self._anchor(state, point, of_name[name])
        elif identity is None or state.names[identity] != name:
            identity = state.new_identity()
            state.names[identity] = name
            self._anchor(state, point, identity)
        state.named[point] = self.error_rate if confidence is None else float(expit(-self.odds(confidence)))
        if state.pending == point:
            state.pending, state.unknowns = None, 0
        return self.at(state)
