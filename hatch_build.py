"""Builds the kernels into the wheel where LEXALIGN_BUILD_KERNELS=1 asks for it: one for this platform alone.

Without it a wheel is for every platform, and the kernels are compiled when they are first needed.
"""

import importlib.util
import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg, misc]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or os.environ.get("LEXALIGN_BUILD_KERNELS") != "1":
            return
        native = Path(self.root) / "src" / "lexalign" / "native"
        spec = importlib.util.spec_from_file_location("compiling", native / "compiling.py")
        assert spec is not None
        assert spec.loader is not None
        compiling = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(compiling)
        folder = Path(self.directory)
        folder.mkdir(parents=True, exist_ok=True)
        if not compiling.compile_kernels(folder / "kernels.so"):
            raise RuntimeError(
                "LEXALIGN_BUILD_KERNELS=1, but the kernels cannot be compiled; is there a C++ compiler?"
            )
        build_data["force_include"][str(folder / "kernels.so")] = "lexalign/native/kernels.so"
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
