"""Work by any executor: the same results as on one core, whatever happens to the workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from tests.api import own_bots
from tests.at_once import AtOnce

import dicecup
from dicecup import executors
from dicecup.cli.main import main

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes behind a scheduler; the one that dies is replaced."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made


def double(number: int) -> int:
    return 2 * number


def fail(number: int) -> int:
    raise ZeroDivisionError(f"{number}\nand more")


def test_results_come_in_order_and_only_as_many_wait_as_are_allowed():
    taken: list[int] = []

    def pieces() -> Iterator[tuple[int]]:
        for number in range(1000):
            taken.append(number)
            yield (number,)

    found = executors.spread(AtOnce(), double, pieces(), waiting=3)
    assert [next(found) for _ in range(5)] == [0, 2, 4, 6, 8]
    assert len(taken) == 7
    assert list(found) == [2 * number for number in range(5, 1000)]


def test_pieces_that_nobody_asks_for_are_cancelled():
    handed: list[Future[Any]] = []

    class FirstOnly(AtOnce):
        def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future[Any]:
            future = Future() if handed else super().submit(function, *arguments, **more)
            handed.append(future)
            return future

    found = executors.spread(FirstOnly(), double, [(1,), (2,), (3,)])
    assert next(found) == 2
    found.close()
    assert [future.cancelled() for future in handed] == [False, True, True]


def test_what_fails_is_one_sentence(refused):
    with refused("work_failed", problem="ZeroDivisionError: 3 and more"):
        list(executors.spread(AtOnce(), fail, [(3,)]))
    with refused("worker_version", there=dicecup.__version__, here="0.0.1"):
        executors.run_piece("0.0.1", b"")
    stopped = ThreadPoolExecutor(1)
    stopped.shutdown()
    with refused("work_failed"):
        list(executors.spread(stopped, double, [(1,)]))


def test_the_same_games_by_processes_and_only_rules_and_seeds_travel(refused):
    bots: list[str | dicecup.Bot] = [own_bots.Cautious(), "random"]
    alone = dicecup.simulate("yatzy", bots=bots, games=60, seed=1, cores=1)
    noted = AtOnce()
    assert dicecup.simulate("yatzy", bots=bots, games=60, seed=1, executor=noted) == alone
    assert max(noted.sent) < 20_000
    with ProcessPoolExecutor(1, get_context("spawn")) as executor:
        assert dicecup.simulate("yatzy", bots=bots, games=60, seed=1, executor=executor) == alone
        with refused("workers_lost"):
            dicecup.simulate("yatzy", bots="tests.api.own_bots:Dying", games=10, seed=1, executor=executor)
        with refused("workers_lost"):
            dicecup.simulate("yatzy", bots="greedy", games=10, seed=1, executor=executor)


def test_bots_that_workers_cannot_load_are_named(refused):
    for bot in (own_bots.Unpicklable, own_bots.Unloadable):
        with refused("bot_not_shared", bot=bot.__name__):
            dicecup.simulate("yatzy", bots=[bot()], games=10, seed=1, executor=AtOnce())
    with refused("bot_failed", bot="Raising"):
        dicecup.simulate("yatzy", bots=[own_bots.Raising()], games=10, seed=1, executor=AtOnce())


@pytest.mark.posix
def test_a_worker_of_a_cluster_that_is_killed_is_replaced(cluster, tmp_path):
    latch = tmp_path / "latch"
    with executors.cluster(cluster.scheduler_address) as executor:
        found = dicecup.simulate(
            "yatzy", bots=own_bots.Mortal(str(latch)), games=150, seed=1, executor=executor
        )
    assert latch.exists()
    for cores in (1, 2):  # the latch is there, so nobody dies any more
        bot = own_bots.Mortal(str(latch))
        assert found == dicecup.simulate("yatzy", bots=bot, games=150, seed=1, cores=cores)
    assert found.sd


def test_the_command_line_uses_a_cluster(cluster, capsys):
    arguments = ["simulate", "yatzy", "--bot", "greedy", "--games", "30", "--seed", "1", "--json"]
    answers = []
    for more in ([], ["--cluster", cluster.scheduler_address]):
        assert main([*arguments, *more]) == 0
        answers.append(json.loads(capsys.readouterr().out) | {"seconds": 0})
    assert answers[0] == answers[1]


def test_a_cluster_whose_workers_keep_dying(cluster, refused):
    cluster.scheduler.allowed_failures = 0
    with executors.cluster(cluster.scheduler_address) as executor, refused("workers_lost"):
        dicecup.simulate("yatzy", bots=own_bots.Dying(), games=10, seed=1, executor=executor)


def test_clusters_that_cannot_be_used(refused, monkeypatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 0.2)
    with refused("cluster_unreachable", address="tcp://127.0.0.1:9"), executors.cluster("tcp://127.0.0.1:9"):
        pass
    with monkeypatch.context() as changed:
        changed.setattr(distributed, "Client", None)  # none is made: closing it would take long
        for address in ("nowhere://1", "scheduler", "tcp://192.168.1.5", "tcp://127.0.0.1:port"):
            with refused("cluster_unreachable", address=address), executors.cluster(address):
                pass
    empty = distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0", silence_logs=50)
    with empty, refused("cluster_empty"), executors.cluster(empty.scheduler_address):
        pass
