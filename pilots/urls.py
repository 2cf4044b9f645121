"""The addresses of the pilots room."""

from django.urls import URLPattern, URLResolver, path

from pilots.host_api import api as host_api
from pilots.views import decisions, desk, items, objectives, pilots, runs, verify

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/host/v1/", host_api.urls),
    path("pilots/", pilots.index, name="pilots"),
    path("pilots/new", pilots.new, name="project_new"),
    path("projects/<str:ref>", pilots.project, name="project"),
    path("pilots/objective", objectives.objective, name="pilot_objective"),
    path("pilots/<str:ref>", pilots.pilot, name="pilot"),
    path("pilots/<str:ref>/place", pilots.place, name="pilot_place"),
    path("pilots/<str:ref>/runs", pilots.run_start, name="run_start"),
    path("pilots/<str:ref>/decision", decisions.decide, name="decide"),
    path("pilots/<str:ref>/decision/check", decisions.check, name="decide_check"),
    path("decisions/<int:pk>", decisions.decision, name="decision"),
    path("runs/<str:ref>", runs.run, name="run"),
    path("runs/<str:ref>/live", runs.live, name="run_live"),
    path("runs/<str:ref>/cancel", runs.cancel, name="run_cancel"),
    path("runs/<str:ref>/resume", runs.resume, name="run_resume"),
    path("runs/<str:ref>/logs/<str:name>", runs.log, name="run_log"),
    path("runs/<str:ref>/files/<str:name>", runs.file, name="run_file"),
    path("runs/<str:ref>/evidence", runs.evidence, name="run_evidence"),
    path("runs/<str:ref>/sheet.json", runs.sheet_as_json, name="run_sheet_json"),
    path("runs/<str:ref>/sheet.csv", runs.sheet_as_csv, name="run_sheet_csv"),
    path("runs/<str:ref>/sample", items.sample, name="run_sample"),
    path("runs/<str:ref>/items", items.index, name="run_items"),
    path("runs/<str:ref>/items/<path:item>", items.item, name="run_item"),
    path("runs/<str:ref>/inputs/<path:item>", items.input_file, name="run_input"),
    path("verify/", verify.index, name="verify"),
    path("verify/<int:pk>", verify.reread, name="reread"),
    path("desk/hosts/", desk.hosts, name="desk_hosts"),
    path("desk/hosts/<str:name>/revoke", desk.revoke, name="desk_host_revoke"),
    path("desk/runs/", desk.runs, name="desk_runs"),
]
