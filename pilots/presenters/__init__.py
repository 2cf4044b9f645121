"""What the pages of the room show, built from rows with few queries and no markup."""
