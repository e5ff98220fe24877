"""What a chain of transforms differentiates by, in the function's own arguments."""

from __future__ import annotations

from symdiff.api.transforms import Differentiated, Jvp
from symdiff.ir.signature import Path, Signature
from symdiff.pipeline import Arguments, CallPair, Chain
from symdiff.runtime.signature import signature_of


class AskedBy:
    """What a chain of transforms differentiates by; every float where there is none."""

    def __init__(self, chain: Chain, arguments: Arguments, own: Signature) -> None:
        given = zip(chain.parameters[1:], chain.levels(arguments)[1:], strict=True)
        opened = chain.opened(arguments)
        signatures = [own, *(signature_of(p.names, level, opened) for p, level in given)]
        calls = map(CallPair, signatures[:-1], signatures[1:], chain.parameters[:-1])
        self._levels = list(zip(chain.transforms, calls, strict=True))
        self.by_all = not any(isinstance(t, Differentiated | Jvp) for t in chain.transforms)

    def differentiates(self, path: Path) -> bool:
        """Return whether a float at a path of the function's own arguments is differentiated by."""
        for transform, calls in self._levels:
            if transform.differentiates(path, calls):
                return True
            path = transform.outer_path(path, calls)
        return self.by_all

    def outermost(self, path: Path) -> Path:
        """Where what stands at a path of the function's arguments stands in the derivative's."""
        for transform, calls in self._levels:
            path = transform.outer_path(path, calls)
        return path
