"""From a CUDA project and from a ROCm project to marked cards, walked in a browser without an account."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.renting.conftest import Walker
from tests.rental.choosing.test_project import CUDA, ROCM

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_cuda_project_is_pasted(walker: Walker, catalogue: Any) -> None:
    page = walker.be(None).go("/rent/?days=30")
    page.locator("main a[href*='/rent/project']").first.click()
    walker.look()
    page.fill("[name=text]", CUDA)
    walker.axe()
    walker.press("main form button.primary")
    assert "torch==2.9.0+cu130" in page.locator("main table").inner_text()
    assert "secret" not in page.content()
    walker.axe()
    walker.targets()
    walker.press("main .state a.primary")
    assert page.locator("[name=backend][value=cuda]").is_checked()
    assert page.locator("[name=days][value='30']").is_checked()
    assert page.locator("main .errors").count() == 0, "nothing was sent yet"
    blocked = page.locator("label:has([value=mi300x])")
    assert "PyTorch (+cu)" in blocked.inner_text()
    assert not page.locator("[name=card][value=mi300x]").is_disabled()
    page.locator("main details summary").first.click()
    walker.look()
    walker.axe()
    # The project travels to the check page and back by its Change link.
    page.check("[name=card][value=h100]")
    walker.press("main .stub button.primary")
    page.locator("main a[href^='/rent/?']").first.click()
    walker.look()
    assert page.locator("[name=libs]").get_attribute("value") == "bitsandbytes.flash-attn.index-cuda.torch-cuda"


def test_a_rocm_project_is_sent_as_a_file(walker: Walker, catalogue: Any, tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text(ROCM)
    page = walker.be(None).go("/rent/project")
    page.set_input_files("[name=file]", file)
    walker.press("main form button.primary")
    assert "rocm/pytorch:rocm7.0_ubuntu24.04" in page.locator("main table").inner_text()
    walker.axe()
    walker.press("main .state a.primary")
    assert page.locator("[name=backend][value=rocm]").is_checked()
    assert "vLLM" in page.locator("label:has([value=mi300x])").inner_text()
    assert "PyTorch (+rocm)" in page.locator("label:has([value=h100])").inner_text()
