"""The addresses of the rental room."""

from django.urls import path

from rental.views import guide

urlpatterns = [
    path("", guide.home, name="home"),
]
