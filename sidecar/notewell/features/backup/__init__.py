"""Backups: the whole state of Notewell in one file, and back.

A backup is a tar file of plain files: the settings, and for each vault its index, its log with the
verdicts, the journal of writes, conversations, and the notes of a mirror. Its manifest lists them
with their checksums, the known vaults, and the devices with access, without any secret.
"""

from notewell.api import Feature

BACKUP = Feature(
    name="backup",
    commands={
        "system": {
            "backup": "notewell.features.backup.commands:backup",
            "restore": "notewell.features.backup.commands:restore",
        }
    },
)
