"""Backups: the whole state of Notewell in one file, and back.

A backup is a tar file of plain files: the settings, and for each vault its index, its log with the
verdicts, the journal of writes, conversations, and the notes of a mirror. Its manifest lists them
with their checksums, the known vaults, and the devices with access, without any secret.
"""

from notewell.backup.create import BackupReport, write_backup
from notewell.backup.restore import RestoreReport, restore_backup

__all__ = ["BackupReport", "RestoreReport", "restore_backup", "write_backup"]
