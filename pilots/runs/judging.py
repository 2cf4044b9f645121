"""A run against its criteria: the sheet over its lines, the verdicts over sheet and measures."""

from typing import Any, cast

from pilots.models import Declared, Run
from pilots.runs import sources
from pilots.runs.measuring import measured
from pilots.spec import config as spec_config
from pilots.spec import criteria
from pilots.spec.sheet import Sheet


def judge(run: Run) -> None:
    """Set sheet, verdicts and figures on `run`, unsaved: by the frozen criteria, never from an exit code."""
    config = config_of(run)
    if config.kind == "documents":
        run.sheet = sheet_of(run)
        run.accepted, run.refused = run.sheet["accepted"], run.sheet["refused"]
    verdicts = criteria.judge(config, run.sheet, measured(run))
    run.verdicts = [verdict.as_dict() for verdict in verdicts]
    run.holds = criteria.passed(verdicts)


def config_of(run: Run) -> spec_config.Config:
    if run.pilot.spec is None:
        raise RuntimeError("a run without a frozen spec cannot exist")
    return spec_config.from_dict(run.pilot.spec.config)


def sheet_of(run: Run) -> dict[str, Any]:
    """The sheet over every counted line that the site holds now."""
    rows = Declared.objects.filter(spec=run.pilot.spec).order_by("position").values_list("item_id", "expected")
    answers = dict(rows.iterator(10_000))
    sheet = Sheet(answers, config_of(run), {identity: answer for identity, answer in answers.items() if answer})
    for number, line in enumerate(sources.lines(run), 1):
        sheet.feed(number, line)
    return cast(dict[str, Any], sheet.as_dict())
