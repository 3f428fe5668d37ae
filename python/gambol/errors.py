"""What can go wrong, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

__all__ = ["Diagnosis", "LimitReached", "RulesError"]


@dataclass(frozen=True)
class Diagnosis:
    """Something that was found in a rulesheet, and where. Lines and columns count from 1."""

    code: str
    severity: str
    message: str
    line: int | None
    column: int | None
    hint: str | None

    def __str__(self) -> str:
        place = "" if self.line is None else f"{self.line}:{self.column}: "
        hint = "" if self.hint is None else f" ({self.hint})"
        return f"{place}{self.severity}[{self.code}]: {self.message}{hint}"


class RulesError(ValueError):
    """The text is no game. `diagnoses` says everything that is wrong with it, in the order of the text."""

    diagnoses: list[Diagnosis]

    def __init__(self, message: str, diagnoses: Sequence[Diagnosis] = ()) -> None:
        super().__init__(message)
        self.diagnoses = list(diagnoses)

    def __str__(self) -> str:
        errors = [str(one) for one in self.diagnoses if one.severity == "error"]
        return "\n".join(errors) or str(super().__str__())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.diagnoses)


class LimitReached(RuntimeError):
    """A limit on time or memory was met. `partial` is what was finished by then, `None` if nothing was."""

    partial: Any

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.partial)
