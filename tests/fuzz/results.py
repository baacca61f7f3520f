"""result.json of a selection, changed, through ``kernelwise report``."""

from fuzz.cases import Trial, insist
from fuzz.commands import folder, run_command
from fuzz.draw import chance, pick
from fuzz.mutations import mutated_bytes, mutated_json
from fuzz.saved import chosen


def results(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    text = (chosen(pick(rng, ["classes", "real", "many"])) / "result.json").read_text()
    with folder() as here:
        path, page = here / "result.json", here / "report.html"
        data = mutated_json(rng, text).encode(errors="surrogatepass")
        path.write_bytes(mutated_bytes(rng, data) if chance(rng, 0.1) else data)
        status, _ = run_command(trial, "report", path, "--out", page)
        if status == 0:
            html = page.read_bytes().decode("utf-8")
            insist("<script>alert" not in html, "the page runs what the file holds")
        else:
            insist(not page.exists(), "refused, but there is a page")
