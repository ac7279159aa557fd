"""Which group is measured again, once all of them have been measured."""

import budgets
import ratios
from groups import Group
from points import Points

CLEARLY_AHEAD = 1.15  # near wins are told from losses no better than near losses are
MOST_RUNS = 5

SAID = f"""Every figure is measured once; repeats go, in rounds and the worst first, to figures (by MPI, place and ranks) of
which a point was ever less than {CLEARLY_AHEAD:g} times ahead of the peer, won or lost, or a budget not met, and then to
the others; the former have up to {MOST_RUNS} runs where time is left over."""


class Repeats:
    """Who is undecided once stays so: who is repeated only until he is ahead has chosen his luck."""

    def __init__(self, groups: list[Group], points: Points, may_have_more: bool) -> None:
        self.groups = groups
        self.points = points
        self.may_have_more = may_have_more  # runs than figures want
        self.promises = budgets.read()
        self.worst: dict[Group, float] = {}
        self.undecided: set[Group] = set()
        for group in groups:
            self.look_at(group)

    def look_at(self, group: Group) -> None:
        """After each run of it."""
        ahead = [one.ratio for figure in group.figures
                 for one in ratios.comparisons(figure, self.points, group.place, group.mpi) if one.ranks == group.ranks]
        margins = [budgets.judge(budget, self.points, group.mpi).margin
                   for figure in group.figures for budget in self.promises
                   if budget.concerns(figure.name, group.place, group.mpi, group.ranks)]
        self.worst[group] = min(ahead + margins, default=float("inf"))
        if any(ratio < CLEARLY_AHEAD for ratio in ahead) or any(margin < 1 for margin in margins):
            self.undecided.add(group)

    def turn(self, group: Group) -> int | None:
        """Of the group's kind; None when it has had all of its runs."""
        if group.done < group.runs:
            return 0 if group in self.undecided else 1
        return 2 if self.may_have_more and group in self.undecided and group.done < MOST_RUNS else None

    def next(self, seconds: float) -> Group | None:
        """None: no run that is left to do fits into so many seconds."""
        fitting = [group for group in self.groups if self.turn(group) is not None and group.seconds <= seconds]
        return min(fitting, key=lambda group: (self.turn(group), group.done, self.worst[group]), default=None)
