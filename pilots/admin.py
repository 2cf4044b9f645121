"""The pilots room's tables in the admin: to look at, never to write."""

from typing import ClassVar

from django.contrib import admin

from pilots.models import Decision, Enrolment, Evidence, Host, Pilot, Project, Reread, Run, RunEvent, RunFile, Rung
from rental.admin import ReadOnly


@admin.register(Host)
class HostAdmin(ReadOnly):
    list_display = ("name", "slots", "enrolled_at", "last_seen_at", "proved_at", "revoked_at")
    search_fields = ("name",)
    exclude = ("token_digest",)


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnly):
    list_display = ("name", "created_at", "expires_at", "used_at", "host")
    list_select_related: ClassVar = ("host",)
    exclude = ("digest",)


@admin.register(Project)
class ProjectAdmin(ReadOnly):
    # The customer's own files and answers are not an operator's to read.
    list_display = ("ref", "customer", "name", "size", "declared", "received_at")
    list_select_related: ClassVar = ("customer",)
    search_fields = ("ref", "sha256")
    fields = ("ref", "customer", "name", "sha256", "size", "declared", "received_at")


@admin.register(Pilot)
class PilotAdmin(ReadOnly):
    list_display = ("ref", "title", "customer", "state", "order", "host", "created_at")
    list_select_related: ClassVar = ("customer", "order", "host")
    search_fields = ("ref", "title")
    fields = ("ref", "title", "customer", "state", "order", "host", "version", "created_at", "frozen_at")


@admin.register(Run)
class RunAdmin(ReadOnly):
    list_display = ("ref", "number", "host", "stage", "outcome", "reason", "attempt", "queued_at", "verified_at")
    list_filter = ("stage", "outcome", "fault")
    list_select_related: ClassVar = ("host",)
    search_fields = ("ref",)
    exclude = ("key_digest", "claim", "remaining", "manifest", "sheet")


@admin.register(RunEvent)
class RunEventAdmin(ReadOnly):
    list_display = ("run_id", "at", "kind", "stage", "old", "new", "code")
    search_fields = ("run__ref",)
    exclude = ("data",)


@admin.register(RunFile)
class RunFileAdmin(ReadOnly):
    list_display = ("run_id", "attempt", "name", "held", "lines", "updated_at")
    search_fields = ("run__ref",)


@admin.register(Rung)
class RungAdmin(ReadOnly):
    list_display = ("host", "run_id", "number", "name", "verdict", "seconds", "reported_at")
    list_filter = ("verdict", "host")
    list_select_related: ClassVar = ("host",)


@admin.register(Evidence)
class EvidenceAdmin(ReadOnly):
    list_display = ("run_id", "number", "sha256", "size", "files", "built_at")
    search_fields = ("run__ref", "sha256")


@admin.register(Reread)
class RereadAdmin(ReadOnly):
    list_display = ("evidence_id", "at", "source", "files", "matches", "difference")
    list_filter = ("source", "matches")


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    list_display = ("pilot_id", "choice", "evidence_sha256", "at", "superseded_at")
    list_filter = ("choice",)
