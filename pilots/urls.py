"""The addresses of the pilots room."""

from django.urls import URLPattern, URLResolver, path

from pilots.host_api import api as host_api

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/host/v1/", host_api.urls),
]
