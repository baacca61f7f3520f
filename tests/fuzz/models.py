"""Model files, damaged, through load_model and ``kernelwise predict``."""

import io

import numpy as np

import kernelwise as kw
from fuzz.cases import Refused, Trial, insist
from fuzz.commands import folder, run_command
from fuzz.draw import Rng, chance, pick
from fuzz.mutations import mutated_bytes, mutated_json
from fuzz.saved import packed, parts, rows


def models(trial: Trial) -> None:
    """Run one case."""
    rng = trial.rng
    kind = pick(rng, ["classes", "real", "svm", "many"])
    with folder() as here:
        path = here / "model.skops"
        path.write_bytes(_damaged(rng, dict(parts(kind))))
        table = here / "rows.csv"
        rows(kind).to_csv(table, index=False)
        options = [option for option in ("--proba", "--json") if chance(rng, 0.2)]
        status, _ = run_command(trial, "predict", path, table, *options)
        try:
            model = trial(kw.load_model, path)
        except Refused:
            insist(status == 2, "load_model refuses what predict takes")
            return
        predicted = trial(model.predict, rows(kind))
        insist(len(predicted) == len(rows(kind)), "another number of predictions than rows")


def _damaged(rng: Rng, members: dict[str, bytes]) -> bytes:
    kind = rng.random()
    arrays = [name for name in members if name.endswith(".npy")]
    if kind < 0.15:
        return mutated_bytes(rng, packed(members))
    if kind < 0.4:
        members["schema.json"] = mutated_json(rng, members["schema.json"].decode()).encode(
            errors="surrogatepass"
        )
    elif kind < 0.75:
        for _ in range(int(rng.integers(1, 3))):
            name = pick(rng, arrays)
            members[name] = _reshaped(rng, members[name])
    elif kind < 0.85:
        one, other = pick(rng, arrays), pick(rng, arrays)
        members[one], members[other] = members[other], members[one]
    elif kind < 0.95:
        name = pick(rng, list(members))
        members[name] = mutated_bytes(rng, members[name])
    else:
        del members[pick(rng, list(members))]
    return packed(members)


def _reshaped(rng: Rng, data: bytes) -> bytes:
    """Return an array file with another shape, type or content."""
    try:
        array = np.load(io.BytesIO(data))
    except ValueError:  # changed already, to objects
        return data
    with np.errstate(all="ignore"):
        numbers = array.astype(float) if array.dtype.kind in "biuf" else np.zeros(array.shape)
        changed = pick(
            rng,
            [
                lambda: array.T,
                array.ravel,
                lambda: array[None],
                lambda: array.reshape(-1, 1),
                lambda: array[:-1] if array.ndim else array,
                lambda: array[:0] if array.ndim else array,
                lambda: np.concatenate([np.atleast_1d(array)] * 2),
                lambda: numbers * np.nan,
                lambda: numbers * np.inf,
                lambda: numbers * 1e300,
                lambda: -numbers,
                lambda: numbers.astype(np.float32),
                lambda: numbers.astype(complex),
                lambda: numbers.astype(str),
                lambda: numbers.astype(np.int8),
                lambda: numbers > 0,
                lambda: np.array(3.0),
                lambda: np.zeros((0, 0)),
                lambda: np.array([None]),
            ],
        )()
    buffer = io.BytesIO()
    np.save(buffer, changed)
    return buffer.getvalue()
