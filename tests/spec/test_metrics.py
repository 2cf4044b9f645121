"""metrics.jsonl and the comparison of two runs."""

from pilots.spec.metrics import Difference, Metrics, compare


def read(*lines: bytes) -> Metrics:
    return Metrics.of_lines(enumerate(lines, 1))


def test_steps_losses_and_items() -> None:
    found = read(
        b'{"step": 0}', b'{"step": 1, "loss": 0.5, "items": 8}', b"", b'{"step": 2, "loss": 1}', b"{", b'{"loss": 1}'
    )
    assert found.losses == {0: None, 1: 0.5, 2: 1.0}
    assert (found.updates, found.items_read, found.malformed) == (2, 8, [5, 6])


def test_a_step_written_again_counts_once() -> None:
    found = read(b'{"step": 1, "loss": 3}', b'{"step": 2, "loss": 2}', b'{"step": 2, "loss": 1}')
    assert (found.updates, found.losses[2]) == (2, 1.0)


def test_a_loss_that_is_no_number_is_not_measured() -> None:
    assert read(b'{"step": 1, "loss": "low"}').losses == {1: None}
    assert read(b'{"step": 1, "loss": true}').losses == {1: None}
    assert read(b'{"step": true}', b'{"step": -1}', b'{"step": 1.5}').malformed == [1, 2, 3]


def test_comparing() -> None:
    assert compare({1: 0.5, 2: 0.25}, {1: 0.5, 2: 0.25}, 2, 0) == Difference(2, 0.0, None)
    assert compare({1: 0.5, 2: 0.25}, {1: 0.5, 2: 0.5}, 2, 0) == Difference(2, 0.25, "step 2: loss 0.25 and 0.5")
    assert compare({1: 0.5, 2: 0.25}, {1: 0.5, 2: 0.5}, 2, 0.3) == Difference(2, 0.25, None)
    assert compare({1: 0.5, 2: 0.25}, {1: 0.5}, 2, 0) == Difference(1, None, "step 2: no loss in the resumed run")
