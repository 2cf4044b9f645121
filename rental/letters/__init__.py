"""Letters to people: their words, and the outbox that sends them."""
