"""Generated expressions are formatted as by ruff."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from polybody.codegen.python_source import Call, Expression, Group, Pair, layout

from tests.waiting import PATIENCE


def random_expression(draw: random.Random, depth: int) -> Expression:
    kind = draw.choice(("word", "word", "call", "tuple", "list", "dict")) if depth else "word"
    if kind == "word":
        return draw.choice(("1.0", "None", '"text"', "some_name", '"a long piece of text"', "Kind.REAL"))
    items = [random_expression(draw, depth - 1) for _ in range(draw.choice((0, 1, 2, 3, 5, 9)))]
    if kind == "call":
        split = draw.randint(0, len(items))
        named = (Pair(f"argument{number}", "=", item) for number, item in enumerate(items[split:]))
        return Call(draw.choice(("f", "Attribute", "a_rather_long_function_name")), (*items[:split], *named))
    if kind == "dict":
        return Group("{}", tuple(Pair(f'"key{number}"', ": ", item) for number, item in enumerate(items)))
    return Group("()" if kind == "tuple" else "[]", tuple(items))


def test_layout_is_what_ruff_makes_of_it(tmp_path: Path) -> None:
    draw = random.Random(5)
    expressions = [random_expression(draw, draw.randint(1, 4)) for _ in range(600)]
    text = "".join(layout(expression, f"name{i} = ") + "\n" for i, expression in enumerate(expressions))
    path = tmp_path / "laid_out.py"
    path.write_text(text, encoding="utf-8")
    compile(text, str(path), "exec")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "110", str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    assert path.read_text(encoding="utf-8") == text
