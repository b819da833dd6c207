"""`notewell features`: lists what Notewell does, where it comes from and what is switched off."""

from __future__ import annotations

from collections.abc import Iterator

import click

from notewell import __version__
from notewell.base.packages import PACKAGES
from notewell.base.types.frozen import frozen
from notewell.doors.cli.options import Command, current_invocation, json_option
from notewell.doors.cli.output import emit_object, print_table
from notewell.engine.feature import Feature, load
from notewell.engine.installed_features import InstalledFeature
from notewell.features import BUILT_IN, INSTALLED


@frozen
class FeatureLine:
    """One feature as it is listed.

    `state` is "on", "off", "left out", for `problem`, or "not installed".
    """

    name: str
    package: str
    version: str
    state: str
    about: str
    commands: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def origin(self) -> str:
        """The package, with its version if it is installed."""
        return f"{self.package} {self.version}".rstrip()


@click.command(cls=Command)
@json_option
def features(*, as_json: bool) -> None:
    """List the features: what is there, from which package, and what is switched off.

    `notewell config set features.off garden,phone` switches some off. A package that cannot be used
    is left out, with the reason; the others work.
    """
    invocation = current_invocation()
    off = invocation.settings().features.off
    lines = [
        *(_line(row, "notewell", __version__, off) for row in BUILT_IN if row.is_optional),
        *(_line_of(package, off) for package in INSTALLED),
        *_not_installed(),
    ]
    unknown = sorted(set(off) - {line.name for line in lines})
    if as_json:
        emit_object({"features": lines, "unknown": unknown})
        return
    print_table(
        ("name", "from", "state", "what it is"),
        [
            (
                line.name,
                f"{line.package} {line.version}".rstrip(),
                line.state,
                line.problem or line.about,
            )
            for line in lines
        ],
    )
    if unknown:
        invocation.say(f"`features.off` names what is not there: {', '.join(unknown)}")


def _line(row: Feature, package: str, version: str, off: tuple[str, ...]) -> FeatureLine:
    state = "off" if row.name in off else "on"
    return FeatureLine(row.name, package, version, state, _about(row), row.command_names)


def _line_of(package: InstalledFeature, off: tuple[str, ...]) -> FeatureLine:
    if package.row is not None:
        return _line(package.row, package.package, package.version, off)
    return FeatureLine(
        package.name, package.package, package.version, "left out", "", problem=package.problem
    )


def _not_installed() -> Iterator[FeatureLine]:
    """The features of Notewell's own packages that are not there."""
    installed = {package.package for package in INSTALLED}
    for package in PACKAGES:
        if package.name not in installed:
            about = f"{package.brings}: pip install {package.name}"
            yield FeatureLine(
                package.feature, package.name, "", "not installed", about, package.commands
            )


def _about(row: Feature) -> str:
    """The first sentence of the docstring of the module that has the row."""
    place = next(filter(None, (row.answers, row.handlers, *_places(row))), "")
    package = place.partition(":")[0].rpartition(".")[0]
    text = load(f"{package}:__doc__") if package else None
    return " ".join((text or "").partition("\n\n")[0].split()).removesuffix(".")


def _places(row: Feature) -> tuple[str, ...]:
    return (
        *(place for names in row.commands.values() for place in names.values()),
        row.tools,
        *row.provides.values(),
    )
