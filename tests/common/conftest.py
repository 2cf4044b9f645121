"""People and tokens for the tests of what every room shares."""

import pytest
from django.test import Client

from common.models import ApiToken
from rental.accounts.people import make_customer
from rental.models import User

PASSWORD = "correct horse battery"


@pytest.fixture
def customer(db: None) -> User:
    return make_customer("customer@example.org", first_name="Ana", last_name="Lima", password=PASSWORD).user


@pytest.fixture
def staff(db: None) -> User:
    user = make_customer("operator@example.org", first_name="Olu", last_name="Ade", password=PASSWORD).user
    User.objects.filter(pk=user.pk).update(is_staff=True)
    return User.objects.get(pk=user.pk)


@pytest.fixture
def signed_in(customer: User) -> Client:
    client = Client()
    client.force_login(customer, "allauth.account.auth_backends.AuthenticationBackend")
    return client


def bearer(user: User, *scopes: str) -> dict[str, str]:
    """The header of a fresh token."""
    _row, plain = ApiToken.issue(user, "test", list(scopes))
    return {"HTTP_AUTHORIZATION": f"Bearer {plain}"}
