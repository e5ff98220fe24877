"""How closely a function is followed: what attempts to stage it do that the first one does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import field
from typing import Any

from symdiff.dataclass import dataclass
from symdiff.errors import SymdiffError
from symdiff.ir.signature import Path
from symdiff.parse.staged import StaticDemand
from symdiff.parse.values import Conflict
from symdiff.source import SourceSpan

MOST_ARMS = 32  # whose refusals are raised where they are taken: for each all is staged again
MOST_TIMES = 3  # that one thing is refused, and more items are selected
_REFINED = (
    "fixed", "unrolled", "unions", "texts", "selecting", "selected_in", "written_late", "resumed",
    "changed",
)  # fmt: skip
MANY = 3  # items of a function that had to be selected one after another


@dataclass(slots=True)
class Recursions:
    """Functions that call themselves often, by their syntax trees: what is known when each call
    ends may still be found in a run.

    ``graphs``: those that become graphs of their own. ``followed``: those that do not, and why.
    ``asked``: where dicts are made that the last attempt could not tell the keys of, and whether
    there were such sets. ``keyed``: those of which keys are known at run time only. ``ordered``:
    where dicts are made whose keys stand in an order that depends on the path; ``instead``: what
    was refused where nothing but that called for keys known at run time only.
    """

    graphs: set[Any] = field(default_factory=set)
    followed: dict[Any, SymdiffError] = field(default_factory=dict)
    asked: set[str | SourceSpan] = field(default_factory=set)
    keyed: set[str | SourceSpan] = field(default_factory=set)
    ordered: set[str | SourceSpan] = field(default_factory=set)
    instead: SymdiffError | None = None

    def key(self, refusal: SymdiffError) -> bool:
        """Take keys that could not be told as known at run time only; False where none are new."""
        new = self.asked - self.keyed
        self.keyed |= new
        if new and new <= self.ordered:
            self.instead = self.instead or refusal
        return bool(new)

    def follow(self, reason: SymdiffError) -> bool:
        """Follow the calls of all of them; False where there are none."""
        had = bool(self.graphs)
        self.followed |= dict.fromkeys(self.graphs, reason)
        self.graphs.clear()
        return had


@dataclass(slots=True)
class RetryPolicy:
    """What is followed more closely, by all attempts so far.

    ``unrolled``: loops that are staged turn by turn. ``unions``: names that are kept as unions
    where their contents are joined. ``texts``: names whose texts are known at run time only where
    two paths have known ones; ``known_texts``: that has not helped. ``selecting``: items that are
    selected at run time, and whether they are told apart one by one; ``asked``: items that may be,
    in the order of asking, and the functions that they stand in; ``selected_in``: how many are, by
    function.
    ``refused``: how often what was refused before more items were selected. ``too_many_turns``:
    loops that may be left in any of so many turns that these cannot be staged one by one, and how
    many facts were known then.
    ``written_late``: places of the caller's that are written at the end only; ``all_late``: all
    are. ``first``: the first conflict for which names were kept as unions; ``instead``: the count
    of a loop, which would tell as well. ``of_library``: a conflict in a library's function, which
    is refused as a whole where nothing resolves that. ``without_arm``: what tells that an arm is
    not taken that cannot be compiled. ``outside``: the numbers outside, floats among them, that
    would tell what the last attempt was refused for.
    ``recursions``: functions that call themselves often.
    ``large``: functions, by their syntax trees, whose templates are called, not copied; unless
    ``calls_large`` is false, so are their first calls. ``follows_large``: whether one was followed
    in its place in the present attempt. ``acting``: those found to do more than to compute numbers.
    ``resumed``: generator functions that are suspended at each ``yield``. ``changed``: what is
    followed as objects, as the program changes one: ``sets``, ``functions``, and the dicts that
    are made at a place; ``contexts`` of exceptions, as it asks for one. ``midway``: whether the
    present attempt has refined it for a call alone (``anew``). ``present`` gives the present value
    at a path; ``fixed``: those of free variables on which the structure of a call alone was found
    to depend. ``compared``: where what floats outside give when they are compared is fixed.
    ``taken_over``: whether it follows
    more closely from its beginning what a run before has been refined for. ``in_arms``: lists and
    dicts of numbers are written in the arms of a branch in templates, too; ``behind_arms``: whether
    one was not. ``named``: items of lists which differ in texts are of one form; ``unlike_names``:
    whether some were not. ``carries``: known numbers and texts that tell many calls apart are
    carried by the program from the beginning; ``has_carried``: the present attempt has begun to;
    ``tells_known``: that has not helped.
    """

    all_late: bool = False
    recursions: Recursions = field(default_factory=Recursions)
    present: Callable[[Path], Any] | None = None
    in_arms: bool = False
    behind_arms: bool = False
    named: bool = False
    unlike_names: bool = False
    fixed: dict[Path, Any] = field(default_factory=dict)
    compared: set[SourceSpan] = field(default_factory=set)
    unrolled: set[SourceSpan] = field(default_factory=set)
    unions: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    known_texts: bool = False
    selecting: dict[SourceSpan, bool] = field(default_factory=dict)
    asked: dict[SourceSpan, Any] = field(default_factory=dict)
    selected_in: Counter[Any] = field(default_factory=Counter)
    refused: dict[Any, int] = field(default_factory=dict)
    too_many_turns: set[tuple[SourceSpan, int]] = field(default_factory=set)
    written_late: set[Any] = field(default_factory=set)
    large: set[Any] = field(default_factory=set)
    acting: set[Any] = field(default_factory=set)
    calls_large: bool = True
    follows_large: bool = False
    resumed: set[Any] = field(default_factory=set)
    changed: set[str | SourceSpan] = field(default_factory=set)
    midway: bool = False
    first: Conflict | None = None
    of_library: Conflict | None = None
    instead: StaticDemand | None = None
    without_arm: StaticDemand | None = None
    outside: StaticDemand | None = None
    left_arm: Any = None
    raised_in_arms: dict[Any, SymdiffError] = field(default_factory=dict)
    taken_over: bool = False
    carries: bool = False
    has_carried: bool = False
    tells_known: bool = False

    def raise_in_arm(self, refusal: SymdiffError) -> bool:
        """Let the arm that a refusal has left raise it, where that is taken; False where it has
        left none, or that has not helped.
        """
        key, known = self.left_arm, self.raised_in_arms
        if key is None or key in known or len(known) >= MOST_ARMS:
            return False
        known[key] = refusal
        return True

    def kept(self) -> RetryPolicy:
        """The policy of a run that goes on where this one has found what else has to be known.

        It follows from its beginning what this one was refined for.
        """
        new = self.anew()
        for name in _REFINED:
            getattr(new, name).update(getattr(self, name))
        new.taken_over = any(getattr(new, name) for name in _REFINED)
        new.behind_arms, new.unlike_names = self.behind_arms, self.unlike_names
        return new

    def calls(self, function: Any) -> bool:
        """Return whether all calls of a function are of a graph, the first one, too."""
        return self.calls_large and function in self.large

    def note_large(self, function: Any, followed: bool) -> None:
        """Note that calls of a function are of a graph, and whether one was ``followed`` before."""
        self.follows_large |= followed
        self.large.add(function)

    def follow_large(self) -> bool:
        """Follow the first call of each function in its place; False where all are anyway."""
        had = self.calls_large and bool(self.large)
        self.calls_large = False
        return had

    def write_in_arms(self) -> bool:
        """Write lists and dicts of numbers in arms; False where all were written there."""
        new = self.behind_arms and not self.in_arms
        self.in_arms = self.in_arms or new
        return new

    def are_names_told(self) -> bool:
        """Return whether items that differ in texts are of one form; it is noted where they do."""
        self.unlike_names = True
        return self.named

    def tell_names(self) -> bool:
        """Let texts in items be known at run time only; False where that would tell nothing."""
        new = self.unlike_names and not self.named
        self.named = self.named or new
        return new

    def anew(self) -> RetryPolicy:
        """The policy of a run that begins without what this one was refined for."""
        known = self.all_late, self.recursions, self.present, self.in_arms
        made = RetryPolicy(*known, named=self.named, raised_in_arms=self.raised_in_arms)
        made.compared = self.compared
        made.large, made.calls_large, made.acting = self.large, self.calls_large, self.acting
        made.carries, made.tells_known = self.carries, self.tells_known
        made.too_many_turns = self.too_many_turns
        return made

    def refine_for(self, conflict: Conflict) -> bool:
        """Take up what may resolve a conflict; False where there is nothing more."""
        refines = self.may_refine_for(conflict)
        if self._tells_texts(conflict):
            self.first = self.first or conflict
            self.texts |= {conflict.name, *conflict.names}
            return True
        if conflict.loop is not None and conflict.loop not in self.unrolled:
            self.unrolled.add(conflict.loop)
            return True
        if conflict is not self.of_library:
            self.first = self.first or conflict
        self.unions |= {conflict.name, *conflict.names}
        return refines

    def may_refine_for(self, conflict: Conflict) -> bool:
        """Return whether there is something more that may resolve a conflict."""
        if conflict.loop is not None and conflict.loop not in self.unrolled:
            return True
        names = {conflict.name, *conflict.names}
        return self._tells_texts(conflict) or not names <= self.unions

    def may_tell_texts(self) -> bool:
        """Return whether texts that differ by path may be known at run time only."""
        return not self.known_texts

    def _tells_texts(self, conflict: Conflict) -> bool:
        """Return whether a name's texts are known at run time only from here on: where to tell them
        apart has been too much.
        """
        names = {conflict.name, *conflict.names}
        often = bool(conflict.names) or names <= self.unions
        return conflict.of_texts and often and self.may_tell_texts() and not names <= self.texts

    def know_texts(self) -> bool:
        """Have texts known on each path again; False where all were."""
        had = bool(self.texts)
        self.known_texts = self.known_texts or had
        self.unions |= self.texts
        self.texts.clear()
        return had

    def begin_carrying(self) -> bool:
        """Carry what is known from the beginning; False where that was so, or nothing was."""
        new = self.has_carried and not self.carries
        self.carries = self.carries or new
        return new

    def tell_known(self) -> bool:
        """Have known numbers and texts tell calls apart again; False where all did."""
        self.tells_known = self.tells_known or self.has_carried
        return self.has_carried

    def selects(self, span: SourceSpan, function: Any) -> bool:
        """Return whether an item of a function is selected; all are, where several had to be."""
        self.asked.pop(span, None)
        self.asked[span] = function
        if span not in self.selecting and self.selected_in[function] >= MANY:
            self.selecting[span] = False
        return span in self.selecting

    def select_more(self, span: SourceSpan | None, refused: str) -> bool:
        """Take up items that may be selected at run time; False where there are none left.

        They stand in a list at first; where that is refused, they are told apart one by one. One is
        taken up at a time; all, where the same is ``refused`` again at a place, which none of them
        may mend.
        """
        times = self.refused.get((span, refused), 0)
        self.refused[span, refused] = times + 1
        asked, new = list(self.asked), [span for span in self.asked if span not in self.selecting]
        lists = [span for span in asked if self.selecting.get(span) is False]
        taken = (new if times else new[-1:]) or lists
        self.selecting.update(dict.fromkeys(taken, not new))
        self.selected_in.update(self.asked[span] for span in taken)
        self.asked.clear()
        return bool(new or lists) and times < MOST_TIMES
