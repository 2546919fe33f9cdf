"""The worker process: it returns errors, is replaced when dead, serves urgent requests first, and exits."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.waiting import eventually

from dicecup.engine.play import apply
from dicecup.engine.state import Throw, start
from dicecup.errors import UsageError
from dicecup.rules.loader import load_ruleset
from dicecup.web.service import worker as module
from dicecup.web.service.worker import LENGTH, Worker, pack, unpack

RULES = load_ruleset("yatzy")
STATE = apply(RULES, start(RULES), Throw((1, 2, 3, 4, 5)))
QUESTION = ("decide", "greedy", RULES, STATE)


def with_worker(work: Callable[[Worker], Coroutine[Any, Any, None]]) -> None:
    """Run in a separate thread: browser tests in the same process leave a running loop in this one."""

    async def run() -> None:
        worker = Worker()
        try:
            await work(worker)
        finally:
            await worker.stop()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, run()).result()


@pytest.mark.posix
def test_it_does_not_keep_the_port_of_a_killed_server() -> None:
    """uvloop lets it inherit the listening socket, as `close_fds=False` does here."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.set_inheritable(True)
        port = listener.getsockname()[1]
        worker = subprocess.Popen(
            [sys.executable, *module.COMMAND, "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            close_fds=False,
        )
    with worker:
        assert worker.stdin
        assert worker.stdout
        worker.stdin.write(pack(("check", ())))  # fails for want of rules, which is an answer
        worker.stdin.flush()
        assert worker.stdout.read(LENGTH.size)
        # Nobody is asked to connect: another process may have been given the port meanwhile.
        held = psutil.Process(worker.pid).net_connections()
        assert port not in [connection.laddr.port for connection in held]


def test_it_answers_and_rejects() -> None:
    async def work(worker: Worker) -> None:
        first = await worker.ask(*QUESTION)
        assert worker.process
        process = worker.process.pid
        with pytest.raises(UsageError) as refused:
            await worker.ask("decide", "nobody", RULES, STATE)
        assert refused.value.code == "bot_unknown"
        assert refused.value.values["bot"] == "nobody"
        with pytest.raises(UsageError) as failed:
            await worker.ask("decide", "greedy", None, None)
        assert failed.value.code == "coach_failed"
        assert await worker.ask(*QUESTION) == first
        assert worker.process.pid == process

    with_worker(work)


@pytest.mark.posix
@pytest.mark.parametrize("setting", ["on", "off"])
def test_its_priority_is_low_unless_that_is_off(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("DICECUP_NICE", setting)

    async def ask(worker: Worker) -> None:
        worker.niceness = 3
        await worker.ask(*QUESTION)
        assert worker.process
        lowered = psutil.Process(worker.process.pid).nice() - psutil.Process().nice()
        assert lowered == (3 if setting == "on" else 0)

    with_worker(ask)


def test_a_dead_process_is_replaced() -> None:
    async def work(worker: Worker) -> None:
        first = await worker.ask(*QUESTION)
        assert worker.process
        psutil.Process(worker.process.pid).suspend()  # else it might have answered, or be missed, before
        asking = asyncio.create_task(worker.ask(*QUESTION))
        await asyncio.sleep(0)  # it is queued
        await asyncio.sleep(0)  # it is sent
        worker.process.kill()
        with pytest.raises(UsageError) as failed:
            await asking
        assert failed.value.code == "coach_failed"
        assert await worker.ask(*QUESTION) == first

    with_worker(work)


def test_a_request_that_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 0.0)

    async def work(worker: Worker) -> None:
        with pytest.raises(UsageError) as failed:
            await worker.ask(*QUESTION)
        assert failed.value.code == "coach_failed"
        assert worker.process is None

    with_worker(work)


def test_urgent_requests_come_first_and_cancelled_ones_are_skipped() -> None:
    async def work(worker: Worker) -> None:
        asked: list[str] = []

        async def exchange(question: bytes) -> tuple[bool, object]:
            asked.append(unpack(question[LENGTH.size :])[0])
            await asyncio.sleep(0)
            return True, None

        worker.exchange = exchange  # type: ignore[method-assign]
        tasks = [
            asyncio.create_task(worker.ask(name, urgency=urgency))
            for name, urgency in (("first", 0), ("late", 0), ("dropped", 3), ("urgent", 2))
        ]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert asked == ["urgent", "first", "late"]

    with_worker(work)


def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 5)

    async def work(worker: Worker) -> None:
        asked = await asyncio.gather(*(worker.ask(*QUESTION) for _ in range(20)), return_exceptions=True)
        refused = [one.code for one in asked if isinstance(one, UsageError)]
        assert refused == ["coach_busy"] * 15

    with_worker(work)


def test_a_process_that_takes_too_much_memory_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_ANSWERS", 2)

    async def work(worker: Worker) -> None:
        first = await worker.ask(*QUESTION)
        assert worker.process
        process = worker.process
        worker.most_memory = 1
        assert await worker.ask(*QUESTION) == first
        assert process.returncode is not None  # it has ended, and its memory is free
        assert await worker.ask(*QUESTION) == first
        assert worker.process.pid != process.pid

    with_worker(work)


def test_memory_is_bounded_by_replacing_the_process_not_after_every_answer() -> None:
    async def work(worker: Worker) -> None:
        worker.most_memory = 1
        for _ in range(3):
            await worker.ask(*QUESTION)
        assert worker.answered == 3

    with_worker(work)


PARENT = """
import asyncio
from dicecup.web.service.worker import Worker

async def main():
    worker = Worker()
    try:
        await worker.ask("check", None)
    except Exception:
        pass
    print(worker.process.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")  # in a container it may not be reaped and stays a zombie
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_it_ends_with_the_server_however_that_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        child = int(server.stdout.readline())
        assert alive(child)
        server.kill()
        eventually(lambda: not alive(child))
