"""Lines of a training's `metrics.jsonl`: its steps and losses, and how many inputs it says to have read."""

from collections.abc import Iterable

from pilots.ingest.rows import batches, figure, objects, stored, whole
from pilots.models import Metric, Run, RunFile
from pilots.runs import moves


def read(run: Run, file: RunFile, lines: Iterable[tuple[int, bytes]]) -> None:
    read_most = int(run.facts.get("items_read", 0))
    for batch in batches(objects(lines)):
        Metric.objects.bulk_create(
            Metric(
                run=run,
                attempt=file.attempt,
                line=number,
                step=whole(value.get("step")),
                loss=figure(value.get("loss")),
                data=stored(value),
            )
            for number, value in batch
        )
        moves.counted(run, steps=len(batch))
        read_most = max([read_most, *(whole(value.get("items")) or 0 for _, value in batch)])
    if read_most:
        run.facts["items_read"] = read_most
        Run.objects.filter(pk=run.pk).update(facts=run.facts)
