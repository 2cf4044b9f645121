"""What changed between two tries."""

from pilots.spec import config, factors, frozen
from pilots.spec.words import FrozenSpec, Item
from tests.spec.projects import changed, text

ITEMS: list[Item] = [{"id": "a", "path": "data/a.txt", "size": 1, "sha256": "0" * 64}]


def spec(**values: object) -> FrozenSpec:
    return frozen.freeze(config.parse(text(changed(**values))), ITEMS, "1" * 64)


def test_nothing_changed() -> None:
    one = factors.describe(spec(), freeze=["torch==2.1"], machine={"card": "H200"})
    assert factors.changed(one, dict(one)) == []


def test_each_factor_is_named_with_its_values() -> None:
    before = factors.describe(spec(), files={"src/a.py": "x"}, freeze=["Torch==2.1", "numpy==1"], machine={"card": "A"})
    after = factors.describe(
        spec(parameters={"batch_size": 8}, criteria__max_minutes=6),
        files={"src/a.py": "y", "src/b.py": "z"},
        freeze=["torch==2.2"],
        machine={"card": "B", "driver": {"version": "9"}},
    )
    found = [(row.group, row.name, row.before, row.after) for row in factors.changed(before, after)]
    assert found == [
        ("program", "src/a.py", "x", "y"),
        ("program", "src/b.py", None, "z"),
        ("parameters", "parameters.batch_size", "4", "8"),
        ("criteria", "criteria.max_minutes", "5", "6"),
        ("environment", "numpy", "1", None),
        ("environment", "torch", "2.1", "2.2"),
        ("machine", "card", "A", "B"),
        ("machine", "driver.version", None, "9"),
    ]
    groups = factors.groups(factors.changed(before, after))
    assert groups == ["program", "parameters", "criteria", "environment", "machine"]


def test_inputs_and_long_values() -> None:
    other = spec(parameters={"prompt": "x" * 1000})
    other["manifest"] = [{**ITEMS[0], "sha256": "9" * 64}]
    found = factors.changed(factors.describe(spec()), factors.describe(other))
    assert {(row.group, row.name) for row in found} == {
        ("inputs", "manifest"), ("parameters", "parameters.batch_size"), ("parameters", "parameters.prompt"),
    }  # fmt: skip
    assert all(len(row.after or "") < 300 for row in found)
