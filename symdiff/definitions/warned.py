"""``warnings.catch_warnings(record=True)``: what the code of its block warns of, in a list.

A filter is an action, the start of a text, and a class. Those that the block sets stand before
those that it finds, of which nothing is known; so a warning needs one that the block has set.
"""

from __future__ import annotations

import warnings
from typing import Any

from symdiff.definitions.declare import refuse

_ACTIONS = ("default", "error", "ignore", "always", "module", "once")


def _begins(text: str, start: str) -> bool:
    """Return whether a text begins with one that stands for itself, in any case of its letters."""
    if any(sign in start for sign in ".^$*+?{}[]\\|()"):
        refuse("a filter of warnings by a pattern, where they are kept: give the start of the text")
    return not start or text.lower().startswith(start.lower())


class WarningMessage:
    """``warnings.WarningMessage``, but for the place where it was given."""

    __symdiff_class__ = warnings.WarningMessage

    def __init__(self, message: Any, source: Any) -> None:
        self.message = message
        self.category = type(message)
        self.source = source
        self.file = self.line = None

    @property
    def filename(self) -> Any:
        """The file that the warning is of."""
        return refuse("where a warning was given")

    @property
    def lineno(self) -> Any:
        """The line that it is of."""
        return refuse("where a warning was given")


class Recorder:
    """The state of ``warnings`` in a block: the list, and the filters that it has set."""

    def __init__(self, log: list[Any], filters: tuple[Any, ...] = ()) -> None:
        self.log = log
        self.filters = filters

    def simplefilter(
        self, action: Any, category: Any = Warning, lineno: int = 0, append: bool = False
    ) -> None:
        """``warnings.simplefilter``."""
        self.filterwarnings(action, "", category, "", lineno, append)

    def filterwarnings(
        self,
        action: Any,
        message: str = "",
        category: Any = Warning,
        module: str = "",
        lineno: int = 0,
        append: bool = False,
    ) -> None:
        """``warnings.filterwarnings``."""
        if module or lineno or append:
            refuse("a filter of warnings by their place, or behind the others, where they are kept")
        if action not in _ACTIONS or not issubclass(category, Warning):
            refuse("a filter of warnings that Python does not take")
        self.filters = ((action, message, category), *self.filters)

    def resetwarnings(self) -> None:
        """``warnings.resetwarnings``: what no filter tells is shown once for each place."""
        self.filters = (("default", "", Warning),)

    def warn(
        self,
        message: Any,
        category: Any = None,
        stacklevel: int = 1,
        source: Any = None,
        **places: Any,
    ) -> None:
        """``warnings.warn``."""
        if not isinstance(message, Warning):
            kind = UserWarning if category is None else category
            if not isinstance(kind, type) or not issubclass(kind, Warning):
                told = "category must be a Warning subclass, not "
                raise TypeError(f"{told}'{type(kind).__name__}'")
            message = kind(message)
        action = self.action_for(type(message), message)
        if action == "error":
            raise message
        if action == "always":
            self.log.append(WarningMessage(message, source))
        elif action != "ignore":
            refuse(
                "a warning that may be kept or not, in catch_warnings(record=True): say"
                " warnings.simplefilter('always') at the start of the block"
            )

    def action_for(self, category: Any, message: Any) -> Any:
        """What is done with a warning; None where the filters outside tell."""
        for action, start, kind in self.filters:
            if issubclass(category, kind) and _begins(str(message), start):
                return action
        return None
