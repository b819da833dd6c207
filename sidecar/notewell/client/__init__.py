"""Who answers for a vault: its running server, or an engine of this process."""
