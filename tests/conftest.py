"""Fixtures for every room: a real PostgreSQL when asked for with `KERNODECK_TEST_DB=postgres`."""
