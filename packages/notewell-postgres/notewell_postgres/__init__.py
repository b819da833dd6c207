"""The index of a vault in a PostgreSQL database that several servers share."""

from notewell.api import Feature

POSTGRES = Feature(
    name="postgres",
    commands={"system": {"engine": "notewell_postgres.commands:engine"}},
    provides={"engine:postgres": "notewell_postgres.engine:ENGINE"},
)
