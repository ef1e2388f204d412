"""`polybody compile` and `polybody cache`: compile kernels for a model in advance, and manage the cache."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click
from polybody.cli import options
from polybody.cli.models import USAGE_ERROR, HowToRead, attempt, load, with_options
from polybody.cli.streams import tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polybody.generated.kernels.interface import Request
    from polybody.model.model import Model
    from polybody.programs.cache import Cache, Entry
    from polybody.programs.target import Target


@click.command("compile")
@options.file
@options.dt
@options.integrator
@click.option("--batch/--no-batch", default=True, help="Also compile the kernels that batches need.")
@options.keyword("--precision", "float64", "float32", help="Precision of batches.", default="float64")
@click.option(
    "--parameters",
    default="",
    show_default=False,
    help="Columns of the Model that vary between the simulations of a batch, such as body_mass.",
    metavar="NAME[,NAME...]",
)
@click.option(
    "--results",
    help="Columns that a step computes, such as sensordata,xpos. Default: sensordata; for batches, none.",
    metavar="NAME[,NAME...]",
)
@options.disable
@click.option("--json", is_flag=True, help="Print JSON.")
@options.how()
@options.meant
@options.seed
@options.randomize
def compile_(
    file: str,
    dt: float | None,
    integrator: str | None,
    batch: bool,
    precision: str,
    parameters: str,
    results: str | None,
    disable: Sequence[str],
    json: bool,
    how: HowToRead,
    meant: dict[str, Any],
    seed: int,
    randomize: bool,
) -> None:
    """Compile the kernels for a model ahead of time. Simulations then find them in the cache."""
    from polybody.generated.kernels.interface import Request
    from polybody.model.observable import USUAL, check_results, present
    from polybody.programs.target import native
    from polybody.simulation.batch.memory import check_parameters
    from polybody.simulation.batch.programs import needed, steps_with

    loaded = load(file, how, seed, randomize, disable, **meant)
    model = with_options(loaded.model, dt, integrator)
    asked = None if results is None else results.replace(",", " ").split()
    single = attempt(lambda: check_results(USUAL if asked is None else asked), ValueError, option="--results")
    names = attempt(
        lambda: check_parameters(parameters.replace(",", " ").split()), ValueError, option="--parameters"
    )
    target = native()
    requests = [Request(("step",), results=present(model, single))]
    if batch:
        inputs, computed = steps_with(model, names, () if asked is None else single)
        requests.append(needed(target, precision, inputs, results=computed))
    rows = _compile(model, target, requests)
    if json:
        import json as text

        click.echo(text.dumps(rows, indent=2))
    else:
        click.echo("\n\n".join(map(_row_text, rows)))


def _compile(model: Model, target: Target, requests: list[Request]) -> list[dict[str, Any]]:
    """Build programs or find them in the cache; return their descriptions. A failure ends the program with
    code 1.
    """
    import time

    from polybody.errors import CompileError
    from polybody.programs.build import ask, together
    from polybody.programs.choosing import UNROLLED_ON_REQUEST, refusal

    begun = time.perf_counter()
    try:
        no = refusal(model, UNROLLED_ON_REQUEST)
        if no:
            raise CompileError(no)
        builds = [ask(model, request, target, start=False) for request in requests]
        _with_progress(together(builds))
        for build in builds:
            build.wait()
    except CompileError as error:
        tell(error, "polybody: nothing was compiled: ")
        raise click.exceptions.Exit(1) from None
    for notice in {build.notice for build in builds} - {""}:
        tell(notice)
    waited = round(time.perf_counter() - begun, 3)
    return [_facts(b.entry) | {"cached": b.cached, "waited": waited} for b in builds if b.entry is not None]


def _with_progress(progress: Iterable[str]) -> None:
    """Show the progress in a line on standard error, if it is a terminal."""
    from polybody.cli.streams import console

    shown = console(stderr=True)
    with shown.status("compiling") if shown.is_terminal else nullcontext() as status:
        for said in progress:
            if status is not None:
                status.update(said)


def _facts(entry: Entry) -> dict[str, Any]:
    facts = entry.facts
    return {
        "key": entry.key,
        "path": str(entry.library),
        "bytes": facts.get("bytes", 0),
        **{name: facts.get(name) for name in ("model", "nv", "request", "kernels", "texts")},
        **{name: facts.get(name) for name in ("compiler", "command", "seconds", "made")},
    }


def _row_text(row: dict[str, Any]) -> str:
    from polybody.escaping import printable

    request, seconds = row["request"], row["seconds"]
    kernels = ", ".join(f"{k['name']} of {k['operations']:,} operations" for k in row["kernels"])
    lanes = f", {request['lanes']} states at a time" if request["lanes"] > 1 else ""
    when = "found in the cache; compiled earlier" if row["cached"] else "now"
    lines = {
        "model": f"{printable(row['model'] or '') or 'without a name'}, {row['nv']} degrees of freedom",
        "kernels": f"{kernels}; {request['precision']}{lanes}",
        "compiled": f"{when}: {seconds['tracing']:.2f} s of tracing, {seconds['compiling']:.2f} s "
        f"by {row['compiler']}",
        "size": f"{row['bytes']:,} bytes",
        "where": printable(row["path"]),
    }
    return "\n".join(f"{name:10} {text}" for name, text in lines.items())


# --- the cache ---------------------------------------------------------------------------------------


@click.command("cache")
@click.argument(
    "action",
    type=click.Choice(["list", "size", "clear", "path"]),
    default="list",
    help="list the compiled kernels, print their total size, clear the cache, or print its path.  "
    "[default: list]",
    metavar="[action]",
)
@click.option("--json", is_flag=True, help="Print JSON.")
def cache_(action: str, json: bool) -> None:
    """List, measure or remove cached kernels."""
    from polybody.programs.cache import Cache, CacheError, bound

    try:
        cache = Cache()
        result = _acted(cache, action, bound())
    except (OSError, CacheError) as error:
        tell(error)
        raise click.exceptions.Exit(USAGE_ERROR) from None
    if json:
        import json as text

        click.echo(text.dumps(result, indent=2))
    else:
        click.echo(_shown(action, result))


def _acted(cache: Cache, action: str, bound: int) -> Any:
    """The result of an action, as printed with --json."""
    if action == "path":
        return {"path": str(cache.folder)}
    if action == "clear":
        count, size = cache.clear()
        return {"path": str(cache.folder), "removed": count, "bytes": size}
    if action == "list":
        return [_facts(entry) | {"used": entry.used} for entry in cache.entries()]
    entries = cache.entries()
    return {
        "path": str(cache.folder),
        "programs": len(entries),
        "bytes": sum(entry.size for entry in entries),
        "bound": bound,
    }


def _shown(action: str, result: Any) -> str:
    import time

    from polybody.escaping import printable

    if action == "path":
        return printable(result["path"])
    if action == "clear":
        where = printable(result["path"])
        return f"removed {result['removed']} programs, {result['bytes']:,} bytes, from {where}"
    if action == "size":
        return f"{result['programs']} programs, {result['bytes']:,} bytes of at most {result['bound']:,}"
    lines = [f"{'bytes':>12}  {'last used':16}  {'dofs':>4}  model and kernels"]
    for row in result:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["used"]))
        request = row["request"] or {}
        kernels = " ".join(map(str, request.get("kernels", ())))
        lines.append(
            f"{row['bytes']:>12,}  {used}  {row['nv'] or 0:>4}  {printable(str(row['model'] or '-'))}: "
            f"{kernels}, {request.get('precision', '')}, {request.get('lanes', 1)} at a time"
        )
    return "\n".join(lines if result else ["the cache is empty"])
