"""Which engines are open: none is closed while used, none beyond the limit without need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from notewell.base.errors import IndexInUseError
from notewell.base.types import VaultRecord
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Hold, OpenEngines


class SmallEngine:
    """What matters of an engine here: whether it is at work, and whether it was closed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.record = VaultRecord(name, name, Path())
        self.busy = False
        self.closed = False

    def close(self) -> None:
        assert not self.closed
        self.closed = True


def make(name: str) -> Callable[[], Engine]:
    return lambda: cast("Engine", SmallEngine(name))


def hold(engines: OpenEngines, name: str) -> Hold:
    return engines.hold(name, make(name))


def use(engines: OpenEngines, name: str) -> SmallEngine:
    with hold(engines, name) as engine:
        return cast("SmallEngine", engine)


def names(engines: OpenEngines) -> set[str]:
    return {cast("SmallEngine", engine).name for engine in engines.all()}


def test_the_least_recently_used_is_closed() -> None:
    engines = OpenEngines(2)
    first, second = use(engines, "a"), use(engines, "b")
    use(engines, "a")

    use(engines, "c")

    assert names(engines) == {"a", "c"}
    assert (first.closed, second.closed) == (False, True)
    assert use(engines, "b") is not second


def test_used_and_busy_engines_stay_open() -> None:
    engines = OpenEngines(1)
    held = hold(engines, "a")
    use(engines, "b").busy = True
    use(engines, "c")
    assert names(engines) == {"a", "b", "c"}

    held.release()
    use(engines, "d")
    assert names(engines) == {"b", "d"}


def test_holding_without_opening_needs_an_open_engine() -> None:
    engines = OpenEngines(1)
    assert engines.held("a") is None
    first = use(engines, "a")
    held = engines.held("a")
    assert held is not None
    assert cast("SmallEngine", held.engine) is first


def test_an_engine_that_fails_to_open_is_not_kept() -> None:
    engines = OpenEngines(1)

    def refuse() -> Engine:
        raise IndexInUseError("taken")

    with pytest.raises(IndexInUseError):
        engines.hold("a", refuse)
    assert engines.all() == ()
    use(engines, "a")


def test_many_threads_open_each_engine_once_and_never_get_a_closed_one() -> None:
    engines = OpenEngines(2)
    problems: list[str] = []

    def work(seed: int) -> None:
        for turn in range(300):
            with hold(engines, "abcd"[(seed + turn * 7) % 4]) as engine:
                if cast("SmallEngine", engine).closed:
                    problems.append("closed under its user")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not problems
    use(engines, "a")
    assert len(engines.all()) <= 2
    engines.close()
    assert engines.all() == ()
