"""What is received, what is refused, what a host never gets, and what is frozen for ever."""

import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, transaction
from django.test import Client

from common.refusals import Refusal
from pilots import drafts, items, projects, storage
from pilots import runs as acts
from pilots.models import Declared, Host, Pilot, Project, Spec
from rental.models import Order, User
from tests.pilots import projects as made
from tests.pilots.hosts import BASE, HostAgent

pytestmark = pytest.mark.django_db
EXPECTED = dict.fromkeys(made.ids()[:11], "invoice")


def test_a_project_is_stored_whole_under_a_name_nobody_guesses(customer: User, folder: Path) -> None:
    upload = made.upload()
    project = projects.receive(customer, upload)
    upload.seek(0)
    data = upload.read()
    assert project.sha256 == hashlib.sha256(data).hexdigest()
    assert storage.path_of(project.path).read_bytes() == data
    assert project.path.startswith("projects/")
    assert len(Path(project.path).parent.name) == 26
    assert (project.declared, project.errors) == (12, [])


def test_a_tar_gz_in_a_folder_is_the_same_project(customer: User) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, data in made.files().items():
            info = tarfile.TarInfo(f"my project/{name}")
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    project = projects.receive(customer, SimpleUploadedFile("p.tar.gz", buffer.getvalue()))
    assert (project.declared, project.errors) == (12, [])
    assert project.host_sha256 == projects.receive(customer, made.upload()).host_sha256


def crafted(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for path, data in made.files().items():
            packed.writestr(path, data)
        packed.writestr(name, b"x")
    return buffer.getvalue()


@pytest.mark.limited
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (crafted("../../evil.py"), "archive_parent_path"),
        (crafted("/etc/cron.d/evil"), "archive_absolute_path"),
        (crafted("src/CLASSIFY.py"), "archive_duplicate_by_case"),
        (crafted("src/aux.txt"), "archive_name_reserved"),
        (b"not an archive at all", "archive_not_an_archive"),
        (b"", "archive_not_an_archive"),
    ],
)
def test_a_crafted_archive_is_refused_and_leaves_nothing(customer: User, folder: Path, data: bytes, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        projects.receive(customer, SimpleUploadedFile("evil.zip", data))
    assert refused.value.code == code
    assert str(refused.value.sentence)
    assert not [path for path in (folder / "files").rglob("*") if path.is_file()]
    assert not Project.objects.exists()


def test_an_archive_that_is_too_large_is_refused_while_it_arrives(customer: User, settings: Any, folder: Path) -> None:
    settings.PROJECT_MAX_BYTES = 1000
    with pytest.raises(Refusal) as refused:
        projects.receive(customer, made.upload())
    assert (refused.value.code, refused.value.status) == ("archive_too_large", 413)
    assert "1" in str(refused.value.sentence)
    assert not [path for path in (folder / "files").rglob("*") if path.is_file()]


def test_what_is_wrong_with_the_project_is_told_with_its_place(customer: User) -> None:
    content = made.files()
    content["config/pilote.json"] = b'{"schema": "kernodeck/pilot/1",\n "kynd": "documents"}'
    project = projects.receive(customer, made.upload(content))
    assert not project.can_be_frozen
    assert any(finding["path"] == "config/pilote.json" and finding["line"] for finding in project.errors)
    with pytest.raises(Refusal, match="project_has_errors"):
        drafts.create(customer, title="No", project=project)


def test_expected_answers_never_reach_a_host(customer: User, order: Order, host: HostAgent) -> None:
    secret = made.upload(expected=EXPECTED)
    project = projects.receive(customer, secret)
    assert project.expected == EXPECTED
    pilot = drafts.create(customer, title="Expected", project=project, order=order)
    run = acts.start(pilot, customer)
    told = host.claim(run.ref).told
    assert "expected" not in json.dumps(told)
    answer = Client().get(f"{BASE}/runs/{run.ref}/archive", headers={"authorization": f"Bearer {told['run_key']}"})
    archive = b"".join(answer.streaming_content)  # type: ignore[arg-type]
    assert (hashlib.sha256(archive).hexdigest(), len(archive)) == (told["archive_sha256"], told["archive_size"])
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        assert "config/expected.json" not in packed.namelist()
        assert "config/pilote.json" in packed.namelist()
    assert Declared.objects.get(spec=pilot.spec, item_id="doc-01").expected == "invoice"
    assert items.content(run, Declared.objects.get(spec=pilot.spec, item_id="doc-03")) == (
        b"the text of doc-03\n", True,
    )  # fmt: skip


def test_a_spec_never_changes(pilot: Pilot, customer: User) -> None:
    spec = pilot.spec
    assert spec is not None
    attempts = [
        lambda: Spec.objects.filter(pk=spec.pk).update(config={}),
        lambda: Spec.objects.filter(pk=spec.pk).delete(),
        lambda: Declared.objects.filter(spec=spec).update(expected="letter"),
        lambda: Declared.objects.filter(spec=spec, position=0).delete(),
        lambda: Pilot.objects.filter(pk=pilot.pk).update(spec=None, state="draft"),
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()
    assert Declared.objects.filter(spec=spec).count() == 12
    with pytest.raises(Refusal, match="already_frozen"):
        drafts.attach(pilot, projects.receive(customer, made.upload()))


def test_the_same_project_gives_the_same_spec_and_another_parameter_another(customer: User, project: Project) -> None:
    first = drafts.create(customer, title="One", project=project)
    assert drafts.create(customer, title="Two", project=project).spec_sha256 == first.spec_sha256
    other = projects.receive(customer, made.upload(parameters={"batch_size": 8}))
    assert drafts.create(customer, title="Three", project=other, previous=first).spec_sha256 != first.spec_sha256


def test_only_hosts_of_ones_own_delivered_orders_may_be_used(
    project: Project, customer: User, stranger: User, order: Order, host: HostAgent
) -> None:
    HostAgent("host-2").enrol()
    with pytest.raises(Refusal, match="host_not_yours"):
        drafts.create(customer, title="Other", project=project, host=Host.objects.get(name="host-2"))
    theirs = projects.receive(stranger, made.upload())
    with pytest.raises(Refusal, match="order_not_delivered"):
        drafts.create(stranger, title="Theirs", project=theirs, order=order)
    pilot = drafts.create(customer, title="Placed later", project=project)
    Order.objects.filter(pk=order.pk).update(state=Order.State.ENDED)
    with pytest.raises(Refusal, match="order_not_delivered"):
        acts.start(pilot, customer)
    assert pilot.runs.count() == 0
