"""What is on sale, for how much, how much of it, and how a card is chosen."""
