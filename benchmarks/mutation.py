"""Do the tests notice a change of one operator or number? Mutants of the code that proofs rest on.

The mutants are those of Cosmic Ray (``pip install cosmic-ray``). Each takes the place of its module
in a process of its own, which runs the tests of that module. No file is changed::

    python benchmarks/mutation.py                      # all targets, about 20 minutes of one core
    python benchmarks/mutation.py ties --only 17       # one of them, with its tests' output

A mutant is *killed* if a test fails or runs out of time. One that cannot even be imported is
left out of the counts. Survivors are judged in ``tests/mutation_survivors.md``.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import importlib
import linecache
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

TARGETS = {
    "verify": (
        "certificates/verify.py",
        "certificates",
        ["checker", "families_of_checker", "tree", "claims"],
    ),
    "distances": (
        "certificates/distances.py",
        "certificates",
        ["checker", "families_of_checker", "tree", "claims", "mixed_codes"],
    ),
    "mixed": ("certificates/mixed.py", "certificates", ["mixed_codes"]),
    "coordinates": ("certificates/coordinates.py", "certificates", ["coordinates", "claims"]),
    "presolve": ("solvers/presolve.py", "solvers", ["reductions"]),
    "ties": ("search/ties.py", "search", ["tie_borders"]),
    "master": ("solvers/covering/master.py", "solvers", ["covering_bound", "conflict_pool"]),
}
CPU_SECONDS, BYTES = 40, 12 * 2**30
KILLED, SURVIVED, UNIMPORTABLE = "killed", "survived", "not importable"
UNUSABLE = 99  # the exit code of a mutant that is not importable


class Mutant(NamedTuple):
    """Which change of Cosmic Ray, and where."""

    line: int
    operator: str
    occurrence: int

    def applied(self, source: str) -> str:
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        return mutate_code(source, get_operator(self.operator)(), self.occurrence) or source


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module, from its first line to its last."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes, found = list(ast_nodes(get_ast(source))), []
    for name in operator_names():
        kind = get_operator(name)
        if not kind.arguments():
            places = [at for node in nodes for at in kind().mutation_positions(node)]
            found += [Mutant(at[0][0], name, occurrence) for occurrence, at in enumerate(places)]
    return sorted(found)


class Mutation:
    """A plugin of pytest: tests are collected once, and run in a forked process for each mutant."""

    def __init__(self, target: str, options: Any) -> None:
        self.target, self.options = target, options
        self.file = Path("sklearn_reclink", TARGETS[target][0])
        self.module = ".".join(self.file.with_suffix("").parts)
        self.source = self.file.read_text(encoding="utf-8")
        self.counts: Counter[str] = Counter()

    def pytest_runtestloop(self, session: Any) -> bool:
        files = dict.fromkeys(str(item.path) for item in session.items)
        self.tests = {name: code_of(name) for name in files}
        gc.freeze()
        if self.outcome(session, self.source, verbose=True) != SURVIVED:
            sys.exit(f"{self.target}: the tests fail without any mutant")
        for number, mutant in self.chosen():
            changed = mutant.applied(self.source)
            found = self.outcome(session, changed, verbose=self.options.only is not None)
            self.counts[found] += 1
            if found == SURVIVED or self.options.only is not None:
                operator = mutant.operator.removeprefix("core/")
                print(f"\n{self.target} {number}, line {mutant.line}, {operator}: {found}")
                print(change(self.source, changed), flush=True)
        return True

    def chosen(self) -> list[tuple[int, Mutant]]:
        every = list(enumerate(mutants(self.source)))
        if self.options.only is not None:
            return [every[number] for number in self.options.only]
        if not 0 < self.options.most < len(every):
            return every
        return sorted(random.Random(self.options.seed).sample(every, self.options.most))

    def outcome(self, session: Any, source: str, verbose: bool = False) -> str:
        """What the tests say of the module with this source."""
        child = os.fork()
        if child == 0:
            os._exit(self.run(session, source, verbose))
        deadline = time.monotonic() + 10 * CPU_SECONDS
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        code = os.waitstatus_to_exitcode(ended[1])
        return {0: SURVIVED, UNUSABLE: UNIMPORTABLE}.get(code, KILLED)

    def run(self, session: Any, source: str, verbose: bool) -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        if not verbose:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        try:
            replace(self.module, source)
        except Exception:
            return UNUSABLE
        for item in session.items:  # what the tests import, and derive from it
            if (code := self.tests.pop(str(item.path), None)) is not None:
                exec(code, vars(item.module))
        for item in session.items:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            print(report.longreprtext, flush=True)
            os._exit(1)


def code_of(file: str) -> Any:
    return compile(Path(file).read_text(encoding="utf-8"), file, "exec", dont_inherit=True)


def replace(name: str, source: str) -> None:
    """Run the source as the module of that name, wherever what it defines was imported.

    Modules of classes that derive from its classes run again, too.
    """
    module = sys.modules[name]
    before = dict(vars(module))
    path = str(module.__file__)
    exec(compile(source, path, "exec", dont_inherit=True), vars(module))
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    new = {id(old): vars(module)[key] for key, old in before.items() if not key.startswith("__")}
    for user in [one for one in sys.modules if one.startswith("sklearn_reclink")]:
        for key, value in list(vars(sys.modules[user]).items()):
            if id(value) in new and callable(value):
                setattr(sys.modules[user], key, new[id(value)])
    for user in [one for one in sys.modules if one.startswith("sklearn_reclink")]:
        own = [one for one in vars(sys.modules[user]).values() if isinstance(one, type)]
        heirs = [one for one in own if one.__module__ == user != name]
        if any(id(base) in new for heir in heirs for base in heir.__mro__[1:]):
            replace(user, Path(str(sys.modules[user].__file__)).read_text(encoding="utf-8"))


def change(before: str, after: str) -> str:
    """The lines that a mutant changed."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in list(lines)[3:] if not line.startswith("@@"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    parser.add_argument("--most", type=int, default=0, help="so many at random, of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="+", help="the mutants of these numbers")
    options = parser.parse_args()
    root = Path(__file__).parents[1]
    os.chdir(root)
    sys.path.insert(0, str(root))
    # nothing compiled: a kernel in the cache would be run in place of its mutant
    os.environ.update(
        NUMBA_DISABLE_JIT="1", OMP_NUM_THREADS="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"
    )
    sys.dont_write_bytecode = True
    import pytest

    words = "-q -s -p no:cacheprovider -o addopts= --assert=plain".split()
    for target in options.targets:
        begin = time.monotonic()
        _, room, names = TARGETS[target]
        mutation = Mutation(target, options)
        importlib.import_module(mutation.module)
        pytest.main([*words, *(f"tests/{room}/test_{name}.py" for name in names)], [mutation])
        counts = mutation.counts
        judged = counts[KILLED] + counts[SURVIVED]
        share = counts[KILLED] / max(1, judged)
        print(
            f"\n{target}: {counts[KILLED]} of {judged} killed ({share:.1%}), "
            f"{counts[UNIMPORTABLE]} not importable, {time.monotonic() - begin:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
