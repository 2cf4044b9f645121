"""Pilots by API: the same acts as the pages."""

from ninja import Router

from pilots.api import pilots, projects, results, runs

router = Router()
router.add_router("", projects.router)
router.add_router("", pilots.router)
router.add_router("", runs.router)
router.add_router("", results.router)
