"""Which group is measured again, once all of them have been measured."""

import budgets
import ratios
import reasons
from groups import Group
from points import Points

CLEARLY_AHEAD = 1.15  # near wins are told from losses no better than near losses are
MOST_RUNS = 5

SAID = f"""Every figure is measured once; repeats go, in rounds and the worst first, to figures (by MPI, place and ranks) of
which a point was ever behind the peer on a node, for no known reason, or a budget was ever not met; these have {MOST_RUNS} runs before
any other is repeated. Next come those of which a point was ever less than {CLEARLY_AHEAD:g} times ahead of the peer, won or lost, and
then the others; the former have up to {MOST_RUNS} runs where time is left over."""


class Repeats:
    """Who is undecided once stays so: who is repeated only until he is ahead has chosen his luck."""

    def __init__(self, groups: list[Group], points: Points, may_have_more: bool) -> None:
        self.groups = groups
        self.points = points
        self.may_have_more = may_have_more  # runs than figures want
        self.promises = budgets.read()
        self.reasons = reasons.read()
        self.worst: dict[Group, float] = {}
        self.undecided: set[Group] = set()
        self.pressing: set[Group] = set()  # lost on a node for no known reason, or a budget not met
        for group in groups:
            self.look_at(group)

    def look_at(self, group: Group) -> None:
        """After each run of it."""
        found = [one for figure in group.figures
                 for one in ratios.comparisons(figure, self.points, group.place, group.mpi) if one.ranks == group.ranks]
        ahead = [one.ratio for one in found]
        margins = [budgets.judge(budget, self.points, group.mpi).margin
                   for figure in group.figures for budget in self.promises
                   if budget.concerns(figure.name, group.place, group.mpi, group.ranks)]
        self.worst[group] = min(ahead + margins, default=float("inf"))
        misses = any(margin < 1 for margin in margins)
        if misses or any(ratio < CLEARLY_AHEAD for ratio in ahead):
            self.undecided.add(group)
        if misses or group.place == "node" and any(
                one.is_behind(one.peer) and not reasons.of(one, self.reasons) for one in found):
            self.pressing.add(group)

    def turn(self, group: Group) -> int | None:
        """Of the group's kind; None when it has had all of its runs."""
        may_have = max(group.runs, MOST_RUNS) if self.may_have_more and group in self.undecided else group.runs
        if group.done >= may_have:
            return None
        if group in self.pressing:
            return 0
        return 3 if group.done >= group.runs else 1 if group in self.undecided else 2

    def next(self, seconds: float) -> Group | None:
        """None: no run that is left to do fits into so many seconds."""
        fitting = [group for group in self.groups if self.turn(group) is not None and group.seconds <= seconds]
        return min(fitting, key=lambda group: (self.turn(group), group.done, self.worst[group]), default=None)
