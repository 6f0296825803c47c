"""A real PostgreSQL for tests and benchmarks, in a folder of its own, and empty databases in it."""

import glob
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sql


def programs() -> Path | None:
    """Debian keeps PostgreSQL's programs out of the path."""
    found = shutil.which("postgres") or max(glob.glob("/usr/lib/postgresql/*/bin/postgres"), default=None)  # noqa: PTH207
    return None if found is None else Path(found).parent


class PostgreSQL:
    """A cluster that listens at a socket in its folder; it may be stopped and started again."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        bin_folder = programs()
        if bin_folder is None:
            raise SystemExit("PostgreSQL is not installed: apt-get install postgresql")
        self._bin, self.folder = bin_folder, folder
        self._durable = durable
        if os.getuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        options = ["--auth=trust", "--username=lexalign", "--no-sync", "--locale=C.UTF-8"]
        create = self._command("initdb", *options, "-D", str(folder / "data"))
        subprocess.run(create, stdout=subprocess.DEVNULL, cwd="/", timeout=60, check=True)
        self.start()

    def start(self) -> None:
        """Return when it accepts connections."""
        log_file = self.folder / "log"
        before = log_file.stat().st_size if log_file.exists() else 0
        settings: dict[str, object] = {
            "listen_addresses": "",
            "unix_socket_directories": self.folder,
            "max_connections": 100,
        }
        if not self._durable:
            settings["fsync"] = "off"  # the machine does not crash
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with log_file.open("ab") as log:
            self._process = subprocess.Popen(
                self._command("postgres", "-D", str(self.folder / "data"), *options), stderr=log, cwd="/"
            )
        _wait_for(lambda: b"ready to accept connections" in log_file.read_bytes()[before:])

    def stop(self) -> None:
        """At once, as in a crash: no connection is closed in order."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=30)

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        engine = sql.create_engine(
            "postgresql+pg8000://lexalign@/postgres",
            connect_args={"unix_sock": str(self.folder / ".s.PGSQL.5432")},
            isolation_level="AUTOCOMMIT",
        )
        with engine.connect() as connection:
            connection.exec_driver_sql(f"create database {name}")
        engine.dispose()
        return f"postgresql://lexalign@/{name}?host={self.folder}"

    def _command(self, program: str, *arguments: str) -> list[str]:
        command = [str(self._bin / program), *arguments]
        if os.getuid() != 0:
            return command
        return [
            "setpriv",
            "--reuid=postgres",
            "--regid=postgres",
            "--clear-groups",
            *command,
        ]  # it refuses root


def _wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30.0
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("PostgreSQL did not start")
        time.sleep(0.02)
