"""The queue: at least one run, one effect, one running per scope, bounded attempts."""

from __future__ import annotations

import threading

import pytest
from ledger_world import ANNA, BEN, World

from dualmem_graph.errors import ConflictError, InputError
from dualmem_graph.storage.records import Job, Lease, NewJob, Plan
from dualmem_graph.types import Scope


def ask_for(world: World, *keys: str, scope: Scope = ANNA, kind: str = "reconcile") -> list[str]:
    plan = Plan(jobs=[NewJob(kind, key, {"about": key}) for key in keys])
    return list(world.store.apply(scope, plan, actor="test").jobs)


def claim(world: World, **choice: object) -> Job:
    job = world.store.jobs.claim(**choice)  # type: ignore[arg-type]
    assert job is not None
    return job


def lease_of(job: Job) -> Lease:
    assert job.lease is not None
    return job.lease


def states(world: World) -> list[tuple[str, str]]:
    return [(job.key, job.state) for job in world.store.jobs.list()]


def test_jobs_are_done_in_order_one_at_a_time_per_scope(world: World) -> None:
    first, second = ask_for(world, "a", "b")
    (other,) = ask_for(world, "c", scope=BEN)
    job = claim(world, scope=ANNA)
    assert (job.id, job.scope, job.kind, job.payload) == (first, ANNA, "reconcile", {"about": "a"})
    assert (job.state, job.attempts) == ("running", 1)
    assert claim(world).id == other
    assert world.store.jobs.claim() is None
    assert world.store.check() == []
    world.store.jobs.complete(lease_of(job))
    assert claim(world).id == second
    assert sorted(states(world)) == [("a", "done"), ("b", "running"), ("c", "running")]


def test_one_open_job_stands_for_all_that_ask_for_the_same(world: World) -> None:
    assert ask_for(world, "a") == ask_for(world, "a")
    (job,) = world.store.jobs.list()
    world.store.jobs.complete(lease_of(claim(world)))
    assert ask_for(world, "a") != [job.id]
    assert states(world) == [("a", "done"), ("a", "queued")]


def test_claims_are_narrowed_by_kind_and_scope(world: World) -> None:
    ask_for(world, "a")
    (digest,) = ask_for(world, "b", kind="digest", scope=BEN)
    assert world.store.jobs.claim(["extract"]) is None
    assert world.store.jobs.claim(["digest"], ANNA) is None
    assert claim(world, kinds=["digest", "extract"], scope=BEN).id == digest
    assert world.store.jobs.claim(scope=BEN) is None


def test_a_finished_job_is_finished_with_what_it_wrote(world: World) -> None:
    ask_for(world, "a")
    job = claim(world)
    world.write(world.note("likes tea"), finish=job.lease)
    assert states(world) == [("a", "done")]
    with pytest.raises(ConflictError, match=job.id):
        world.write(world.note("likes coffee"), finish=job.lease)
    assert world.current() == ["likes tea"]


def test_a_lapsed_lease_is_taken_over_and_its_runner_writes_nothing(world: World) -> None:
    ask_for(world, "a")
    late = claim(world)
    world.clock.forward(seconds=world.settings.job_lease + 1)
    assert not world.store.jobs.is_running()
    again = claim(world)
    assert (again.id, again.attempts) == (late.id, 2)
    with pytest.raises(ConflictError, match="another"):
        world.write(world.note("likes tea"), finish=late.lease)
    for call in (world.store.jobs.complete, world.store.jobs.heartbeat):
        with pytest.raises(ConflictError):
            call(lease_of(late))
    with pytest.raises(ConflictError):
        world.store.jobs.fail(lease_of(late), "too late")
    world.write(world.note("likes coffee"), finish=again.lease)
    assert world.current() == ["likes coffee"]


def test_a_heartbeat_keeps_the_lease(world: World) -> None:
    ask_for(world, "a")
    job = claim(world)
    world.clock.forward(seconds=world.settings.job_lease - 1)
    prolonged = world.store.jobs.heartbeat(lease_of(job))
    world.clock.forward(seconds=world.settings.job_lease - 1)
    assert world.store.jobs.claim() is None
    assert world.store.jobs.is_running(ANNA)
    assert not world.store.jobs.is_running(BEN)
    world.store.jobs.complete(prolonged)
    assert states(world) == [("a", "done")]


def test_a_failed_job_waits_longer_each_time_and_is_then_parked(world: World) -> None:
    (id_,) = ask_for(world, "a")
    pauses = []
    for _ in range(world.settings.job_max_attempts - 1):
        asked = world.clock.now
        world.store.jobs.fail(lease_of(claim(world)), "model down")
        assert world.store.jobs.claim() is None
        (job,) = world.store.jobs.list(state="queued")
        pauses.append((job.run_after - asked).total_seconds())
        world.clock.now = job.run_after
    assert pauses == [2, 4, 8, 16]
    world.store.jobs.fail(lease_of(claim(world)), "model down")
    world.clock.forward(days=365)
    assert world.store.jobs.claim() is None
    (parked,) = world.store.jobs.list(ANNA, "parked")
    assert (parked.id, parked.attempts, parked.error) == (id_, 5, "model down")


def test_a_job_whose_runners_all_fall_silent_is_parked(world: World) -> None:
    ask_for(world, "a")
    for _ in range(world.settings.job_max_attempts):
        claim(world)
        world.clock.forward(seconds=world.settings.job_lease + 1)
    assert world.store.jobs.claim() is None
    (parked,) = world.store.jobs.list(state="parked")
    assert parked.error == "fell silent in each of 5 attempts"


def test_a_parked_job_can_be_retried_with_all_its_attempts(world: World) -> None:
    (id_,) = ask_for(world, "a")
    with pytest.raises(InputError, match=id_):
        world.store.jobs.retry(id_)
    for _ in range(world.settings.job_max_attempts):
        world.store.jobs.fail(lease_of(claim(world)), "model down")
        world.clock.forward(days=1)
    world.store.jobs.retry(id_)
    assert claim(world).attempts == 1


def test_a_parked_job_whose_work_was_queued_anew_is_not_done_twice(world: World) -> None:
    ask_for(world, "a")
    for _ in range(world.settings.job_max_attempts):
        world.store.jobs.fail(lease_of(claim(world)), "model down")
        world.clock.forward(days=1)
    ask_for(world, "a")
    assert [state for _, state in states(world)] == ["parked", "queued"]

    assert world.store.jobs.retry(scope=BEN) == 0
    assert world.store.jobs.retry(scope=ANNA) == 1

    assert [state for _, state in states(world)] == ["done", "queued"]


def test_a_retry_pause_can_be_ignored_and_jobs_left_alone(world: World) -> None:
    first, second = ask_for(world, "a", "b")
    world.store.jobs.fail(lease_of(claim(world)), "model down")
    assert claim(world, ignore_pause=True, exclude={second}).id == first


def test_a_released_job_was_not_attempted(world: World) -> None:
    ask_for(world, "a")
    job = claim(world)
    world.store.jobs.release(lease_of(job))
    world.store.jobs.release(lease_of(job))
    again = claim(world)
    assert (again.id, again.attempts) == (job.id, 1)
    world.store.jobs.complete(lease_of(again))
    world.store.jobs.release(lease_of(again))
    assert states(world) == [("a", "done")]


def test_the_jobs_of_a_process_that_ended_are_taken_over_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_for(world, "a")
    job = claim(world)
    assert world.store.jobs.reap() == 0
    monkeypatch.setattr("dualmem_graph.storage.jobs.is_gone", lambda token: True)
    assert world.store.jobs.reap() == 1
    again = claim(world)
    assert (again.id, again.attempts) == (job.id, 2)


def test_open_jobs_are_counted_by_scope(world: World) -> None:
    ask_for(world, "a", "b")
    ask_for(world, "c", scope=BEN)
    world.store.jobs.complete(lease_of(claim(world, scope=ANNA)))
    counts = [world.store.jobs.pending_count(scope) for scope in (None, ANNA, BEN)]
    assert counts == [2, 1, 1]
    assert [job.key for job in world.store.jobs.list(ANNA, "queued")] == ["b"]
    with pytest.raises(InputError, match="'lost'"):
        world.store.jobs.list(state="lost")


def test_a_job_asked_for_later_is_due_later(world: World) -> None:
    later = world.clock.now.replace(hour=13)
    world.write(jobs=[NewJob("digest", "a", run_after=later)])
    assert world.store.jobs.claim() is None
    world.clock.now = later
    assert claim(world).key == "a"


def test_many_threads_do_each_job_once(world: World) -> None:
    for n in range(10):
        ask_for(world, "x", "y", scope=Scope("default", f"u{n}"))
    done: list[str] = []
    start = threading.Barrier(4)

    def work() -> None:
        start.wait()
        while world.store.jobs.pending_count():
            job = world.store.jobs.claim()
            if job is not None:
                done.append(job.id)
                world.store.jobs.complete(lease_of(job))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted(job.id for job in world.store.jobs.list(state="done"))
    assert len(done) == 20


def test_deleting_a_scope_ends_its_jobs(world: World) -> None:
    ask_for(world, "a")
    job = claim(world)
    assert world.store.delete_scope(ANNA)["jobs"] == 1
    with pytest.raises(ConflictError):
        world.store.jobs.complete(lease_of(job))
