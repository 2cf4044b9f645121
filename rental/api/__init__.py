"""The JSON API's door: every room's router, by its dotted name so that no room is imported upwards."""

from ninja import NinjaAPI

from common.api import problems

api = NinjaAPI(title="Kernodeck", version="1", openapi_url="/openapi.json", docs_url=None, urls_namespace="api")
problems.install(api)
api.add_router("", "billing.api.router", tags=["money"])
api.add_router("", "rental.api.routes.router", tags=["rental"])
api.add_router("", "pilots.api.router", tags=["pilots"])
