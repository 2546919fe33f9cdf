"""The files in deploy/ and the Dockerfile: what can be checked without a container engine."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import click
import pytest
import yaml  # type: ignore[import-untyped]
from tests.conftest import ROOT
from tests.waiting import PATIENCE
from tests.web.serving import Server

from dicecup.cli.main import dicecup as program
from environment import EXTRAS

DEPLOY = ROOT / "deploy"
UNITS = sorted(path.name for path in DEPLOY.glob("dicecup*.*"))
IN_THE_IMAGE = "/opt/dicecup"
OTHER_VARIABLES = {"DICECUP_HOST", "DICECUP_DATABASE_PASSWORD"}  # of deploy/compose.yaml alone


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, with continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def arguments_of(wanted: str) -> list[str]:
    return [rest for word, rest in instructions() if word == wanted]


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def known_variables() -> set[str]:
    sources = [ROOT / "src/dicecup/web/settings.py", ROOT / "src/dicecup/installation.py"]
    return {
        name
        for source in sources
        for name in re.findall(r"DICECUP_[A-Z_]+", source.read_text(encoding="utf-8"))
    }


def check_command(words: list[str]) -> None:
    """The command exists and takes these options."""
    with program.make_context("dicecup", list(words), resilient_parsing=True) as context:
        command = program.get_command(context, words[0])
        assert isinstance(command, click.Command), words
        command.make_context(words[0], list(words[1:]))


def test_the_image_runs_as_an_ordinary_user_from_the_lock_files() -> None:
    words = [word for word, _ in instructions()]
    last_stage = words[len(words) - words[::-1].index("FROM") :]
    assert "USER" in last_stage
    assert arguments_of("USER") == ["10001"]
    (install,) = [line for line in arguments_of("RUN") if "launch.py" in line]
    assert "./dicecup --version" in install
    listed = re.search(r"for part in ([\w ]+);", install)
    assert listed
    assert set(listed[1].split()) == {"postgresql", "solver", "pdf"}  # the others are for researchers
    assert all((ROOT / "requirements" / f"{part}.txt").is_file() for part in ("run", *EXTRAS))


def test_the_image_has_a_python_that_is_tested() -> None:
    images = {line.split()[0] for line in arguments_of("FROM")}
    assert len(images) == 1
    found = re.fullmatch(r"python:(3\.\d+)-slim-bookworm", images.pop())
    assert found
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    assert found[1] in workflow["jobs"]["check"]["strategy"]["matrix"]["python"]


def test_what_the_image_needs_is_copied_into_it() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    assert "*" in lines
    for path in kept:
        assert (ROOT / path).exists(), path
    needed = [
        "dicecup",
        "tools/launch.py",
        "requirements/run.txt",
        "src/dicecup/__main__.py",
        "docs/rules/en",
    ]
    for path in needed:
        assert any(path == one or path.startswith(f"{one}/") for one in kept), path
    assert not any(fnmatch(path, "tests*") for path in kept)


def test_the_commands_of_the_files_exist() -> None:
    (default,) = arguments_of("CMD")
    check_command(json.loads(default))
    check_command(compose()["services"]["dicecup"]["command"])
    for unit in UNITS:
        for line in re.findall(r"-m dicecup (.*)", (DEPLOY / unit).read_text(encoding="utf-8")):
            check_command(shlex.split(line.strip("'")))


def test_the_health_check_of_the_image(tmp_path: Path) -> None:
    (line,) = arguments_of("HEALTHCHECK")
    words = json.loads(line[line.index("[") :])
    assert words[0] == f"{IN_THE_IMAGE}/.venv/bin/python"

    def healthy(address: str) -> bool:
        asks = words[-1].replace("http://127.0.0.1:8000", address).replace("timeout=8", f"timeout={PATIENCE}")
        here = [sys.executable, *words[1:-1], asks]
        return subprocess.run(here, capture_output=True, timeout=PATIENCE, check=False).returncode == 0

    with Server(str(tmp_path / "games.db")) as server:
        assert healthy(server.address)
    assert not healthy(server.address)


def test_the_services_of_the_compose_file() -> None:
    found = compose()
    services = found["services"]
    assert services.keys() == {"database", "dicecup", "proxy"}
    for service in services.values():
        assert set(service["networks"]) <= found["networks"].keys()
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith("./") else source in found["volumes"]
    app = services["dicecup"]
    assert (DEPLOY / app["build"] / "Dockerfile").is_file()
    assert app["environment"]["DICECUP_DATABASE"].startswith("postgresql://dicecup@database/")
    subnet = found["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert app["environment"]["DICECUP_PROXIES"] == subnet
    assert app["volumes"] == [f"games:{arguments_of('VOLUME')[0]}"]
    assert "ports" not in app  # only the proxy is reachable from outside
    assert services["proxy"]["depends_on"]["dicecup"]["condition"] == "service_healthy"


def test_the_proxy_leads_to_the_app_and_hides_the_metrics() -> None:
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    (port,) = arguments_of("EXPOSE")
    assert f"reverse_proxy dicecup:{port}" in text
    assert "@inside path /metrics" in text
    assert text.count("{") == text.count("}")


def test_every_variable_is_known() -> None:
    files = [ROOT / "Dockerfile", *(path for path in DEPLOY.iterdir())]
    for path in files:
        used = set(re.findall(r"DICECUP_[A-Z_]+", path.read_text(encoding="utf-8")))
        assert used <= known_variables() | OTHER_VARIABLES, path


@pytest.mark.posix
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_accepts_the_units(tmp_path: Path, unit: str) -> None:
    for path in DEPLOY.glob("dicecup*.*"):
        text = path.read_text(encoding="utf-8").replace(f"{IN_THE_IMAGE}/.venv/bin/python", sys.executable)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(tmp_path / unit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit in line]) == (0, [])


def test_the_service_is_hardened() -> None:
    text = (DEPLOY / "dicecup.service").read_text(encoding="utf-8")
    for line in ("User=dicecup", "NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="):
        assert line in text.splitlines()
