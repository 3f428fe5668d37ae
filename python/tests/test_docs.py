"""The guide says what is true: its code runs."""

import pathlib
import re

import pytest

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.skipif(not GUIDE.exists(), reason="the package is tested away from its repository")
def test_the_code_of_the_guide_runs():
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(blocks) >= 10
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
