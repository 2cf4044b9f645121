"""People: how they sign up, sign in, change and close their accounts."""
