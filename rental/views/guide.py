"""Home and guide: what the service does, each step linked to its page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def home(request: HttpRequest) -> HttpResponse:
    return render(request, "rental/home.html")
