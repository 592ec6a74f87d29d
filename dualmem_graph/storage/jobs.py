"""The job queue: rows of the ledger with a lease, bounded attempts, one running per scope.

A job runs at least once and takes effect exactly once: whoever runs it marks it done in the
transaction that writes what it made (``Plan.finish``), and a token that another runner replaced
in the meantime makes that transaction fail as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dualmem_graph.config import Settings
from dualmem_graph.errors import ConflictError, InputError
from dualmem_graph.scope import scope_hash
from dualmem_graph.storage import schema
from dualmem_graph.storage.holders import is_gone, new_token
from dualmem_graph.storage.ids import job_id
from dualmem_graph.storage.ledger import Ledger
from dualmem_graph.storage.prepared import Prepared, insert
from dualmem_graph.storage.records import Job, Lease, NewJob
from dualmem_graph.types import Scope

_jobs, _scopes = schema.jobs, schema.scopes

QUEUED, RUNNING, DONE, PARKED = "queued", "running", "done", "parked"
STATES = (QUEUED, RUNNING, DONE, PARKED)
OPEN = (QUEUED, RUNNING)
_ERROR_CHARS = 2000
# jobs of one revision of a scope are numbered below this
_PER_REVISION = 10_000
# more than the clocks of machines differ, and less than one is worth waiting for that was set back
_CLOCK_STEP = timedelta(hours=1)
# seconds; a job that has failed so often is looked at once a day
_LONGEST_PAUSE = 86_400.0
# enough to get from a millisecond to a day
_MOST_DOUBLINGS = 27


class Queued(NamedTuple):
    """An open job; ``lease`` is set where it was enqueued as running."""

    id: str
    lease: Lease | None


class JobQueue:
    """Claiming and tending the jobs of one ledger; see the module."""

    def __init__(self, ledger: Ledger, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock

    def claim(
        self,
        kinds: Sequence[str] | None = None,
        scope: Scope | None = None,
        *,
        ignore_pause: bool = False,
        exclude: Collection[str] = (),
    ) -> Job | None:
        """Take the next job that is due, if any; the job's ``lease`` must be handed back.

        A job whose runner fell silent is taken over, and parked instead after
        ``job_max_attempts``. Scopes that have a running job are passed over.

        Args:
            kinds: only these kinds of job.
            scope: only this one's jobs.
            ignore_pause: take also what waits for its next attempt.
            exclude: ids of jobs to leave alone.
        """
        statement = _candidates(kinds, scope, ignore_pause, exclude)
        with self._ledger.read() as conn:  # looking must not make writers wait
            if conn.execute(statement, self._times()).first() is None:
                return None
        while True:
            with self._ledger.write() as conn:
                times = self._times()
                now = times["now"]
                row = conn.execute(
                    statement.with_for_update(skip_locked=True, of=[_jobs, _scopes]), times
                ).first()
                if row is None:
                    return None
                if row.attempts >= self._settings.job_max_attempts:
                    self._park(conn, row, now)
                # on PostgreSQL another runner may have been faster since: look again
                elif (job := self._take(conn, row, now)) is not None:
                    return job

    def fail(self, lease: Lease, error: str) -> None:
        """Hand a job back that failed: it is retried after a pause that doubles, then parked.

        Raises:
            ConflictError: the lease lapsed and another runner has the job.
        """
        with self._ledger.write() as conn:
            now = self._clock()
            attempts = conn.execute(_ATTEMPTS, _held(lease)).scalar_one_or_none()
            if attempts is None:
                raise _lost(lease)
            parks = attempts >= self._settings.job_max_attempts
            conn.execute(
                sa.update(_jobs)
                .where(_jobs.c.id == lease.job_id)
                .values(
                    state=PARKED if parks else QUEUED,
                    run_after=now + self._pause(attempts),
                    error=error[:_ERROR_CHARS],
                    token=None,
                    lease_until=None,
                    finished_at=now if parks else None,
                )
            )

    def complete(self, lease: Lease) -> None:
        """Mark a job done that left nothing to write.

        Raises:
            ConflictError: the lease lapsed and another runner has the job.
        """
        with self._ledger.write() as conn:
            finish(conn, lease, self._clock())

    def heartbeat(self, lease: Lease) -> Lease:
        """Say that the runner is alive; answers the lease with its new end.

        Raises:
            ConflictError: the lease lapsed and another runner has the job.
        """
        until = self._clock() + timedelta(seconds=self._settings.job_lease)
        with self._ledger.write() as conn:
            if conn.execute(_PROLONG, {**_held(lease), "until": until}).rowcount != 1:
                raise _lost(lease)
        return Lease(lease.job_id, lease.token, until)

    def release(self, lease: Lease) -> None:
        """Hand a job back as if it had not been claimed; one no longer held is left alone."""
        with self._ledger.write() as conn:
            conn.execute(_RELEASE, {**_held(lease), "now": self._clock()})

    def reap(self) -> int:
        """Let the leases lapse whose process on this machine has ended; answers how many."""
        with self._ledger.read() as conn:
            gone = [row for row in conn.execute(_RUNNING) if is_gone(row.token)]
        if gone:
            with self._ledger.write() as conn:
                for row in gone:
                    conn.execute(_REAP, {"id_": row.id, "held": row.token, "now": self._clock()})
        return len(gone)

    def is_running(self, scope: Scope | None = None) -> bool:
        """Tell whether any runner holds a job that has not lapsed."""
        statement = _of(sa.select(_jobs.c.id).join(_scopes), scope).where(
            _jobs.c.state == RUNNING, _jobs.c.lease_until >= self._clock()
        )
        with self._ledger.read() as conn:
            return conn.execute(statement.limit(1)).first() is not None

    def retry(self, job_id: str | None = None, scope: Scope | None = None) -> int:
        """Queue parked jobs again, with all their attempts before them; answers how many.

        Args:
            job_id: only this one; default: all that are parked.
            scope: only this one's jobs.

        Raises:
            InputError: no parked job has this id.
        """
        statement = _of(_SELECT.where(_jobs.c.state == PARKED), scope)
        if job_id is not None:
            statement = statement.where(_jobs.c.id == job_id)
        with self._ledger.write() as conn:
            parked = conn.execute(statement.order_by(_jobs.c.seq)).all()
            if job_id is not None and not parked:
                raise InputError(
                    f"no parked job has the id {job_id!r}; jobs(state='parked') names them"
                )
            now = self._clock()
            for row in parked:
                same = {"scope_id": row.scope_id, "kind": row.kind, "key": row.key}
                # one that was queued since then does the same work
                is_done_by_another = conn.execute(_OPEN_LIKE, same).first() is not None
                fresh = {"state": QUEUED, "attempts": 0, "run_after": now, "finished_at": None}
                values = {"state": DONE} if is_done_by_another else fresh
                conn.execute(sa.update(_jobs).where(_jobs.c.id == row.id).values(**values))
        return len(parked)

    def list(
        self, scope: Scope | None = None, state: str | None = None, limit: int = 1000
    ) -> Sequence[Job]:
        """List jobs, oldest first.

        Raises:
            InputError: there is no such state.
        """
        if state is not None and state not in STATES:
            raise InputError(f"unknown job state {state!r}; use one of {', '.join(STATES)}")
        statement = _SELECT.order_by(_jobs.c.created_at, _jobs.c.seq).limit(limit)
        statement = _of(statement, scope)
        if state is not None:
            statement = statement.where(_jobs.c.state == state)
        with self._ledger.read() as conn:
            return [_to_job(row) for row in conn.execute(statement)]

    def pending_count(self, scope: Scope | None = None) -> int:
        """Count the jobs that wait or run."""
        statement = _of(sa.select(sa.func.count()).select_from(_jobs.join(_scopes)), scope).where(
            _jobs.c.state.in_(OPEN)
        )
        with self._ledger.read() as conn:
            return int(conn.execute(statement).scalar_one())

    def _times(self) -> dict[str, datetime]:
        """Now; and what no job is made or pauses until, unless the clock has been set back."""
        now = self._clock()
        return {
            "now": now,
            "not_made_yet": now + _CLOCK_STEP,
            "no_pause_so_long": now + _CLOCK_STEP + self._pause(self._settings.job_max_attempts),
        }

    def _pause(self, attempts: int) -> timedelta:
        """How long a job waits after so many attempts: twice as long each time, up to a day."""
        first = self._settings.job_backoff
        doubled = first * 2 ** min(max(attempts - 1, 0), _MOST_DOUBLINGS)
        return timedelta(seconds=min(doubled, max(first, _LONGEST_PAUSE)))

    def _take(self, conn: Connection, row: Any, now: datetime) -> Job | None:
        lease = new_lease(row.id, now, self._settings.job_lease)
        taken = conn.execute(
            _TAKE,
            {
                "id_": row.id,
                "was": row.state,
                "old_token": row.token,
                "token": lease.token,
                "lease_until": lease.until,
                "now": now,
            },
        )
        return _to_job(row, lease) if taken.rowcount == 1 else None

    def _park(self, conn: Connection, row: Any, now: datetime) -> None:
        conn.execute(
            sa.update(_jobs)
            .where(_jobs.c.id == row.id)
            .values(
                state=PARKED,
                token=None,
                lease_until=None,
                finished_at=now,
                error=row.error or f"fell silent in each of {row.attempts} attempts",
            )
        )


def enqueue(
    conn: Connection,
    scope: Scope,
    scope_id: int,
    revision: int,
    jobs: Sequence[NewJob],
    now: datetime,
    *,
    lease: float | None = None,
) -> list[Queued]:
    """Queue jobs within a transaction; answers the open jobs that stand for them.

    With ``lease`` (seconds) a job starts out running, claimed by whoever enqueues it: it comes
    back to the queue only if that one falls silent. Such a start does not count as an attempt.
    """
    return [
        _enqueue_one(conn, scope, scope_id, revision * _PER_REVISION + place, job, now, lease)
        for place, job in enumerate(jobs)
    ]


def new_lease(job: str, now: datetime, seconds: float) -> Lease:
    """Make the right to run a job for some seconds."""
    return Lease(job, new_token(), now + timedelta(seconds=seconds))


def finish(conn: Connection, lease: Lease, now: datetime) -> None:
    """Mark a job done within the transaction that writes what it made.

    Raises:
        ConflictError: the lease lapsed and another runner has the job.
    """
    if _FINISH.run(conn, {**_held(lease), "now": now}) != 1:
        raise _lost(lease)


def _enqueue_one(
    conn: Connection,
    scope: Scope,
    scope_id: int,
    seq: int,
    job: NewJob,
    now: datetime,
    lease: float | None,
) -> Queued:
    id_ = job_id(scope, job.kind, job.key, seq)
    mine = None if lease is None else new_lease(id_, now, lease)
    added = _ENQUEUE.run(
        conn,
        {
            "id": id_,
            "seq": seq,
            "scope_id": scope_id,
            "kind": job.kind,
            "key": job.key,
            "payload": dict(job.payload),
            "state": QUEUED if mine is None else RUNNING,
            "attempts": 0,
            "run_after": job.run_after or now,
            "lease_until": None if mine is None else mine.until,
            "token": None if mine is None else mine.token,
            "created_at": now,
        },
    )
    if added == 1:
        return Queued(id_, mine)
    found = conn.execute(_OPEN_LIKE, {"scope_id": scope_id, "kind": job.kind, "key": job.key})
    return Queued(found.scalar_one(), None)


def _candidates(
    kinds: Sequence[str] | None,
    scope: Scope | None,
    ignore_pause: bool,
    exclude: Collection[str],
) -> sa.Select[Any]:
    now = sa.bindparam("now", type_=schema.Instant)
    other = _jobs.alias("other")
    is_busy = sa.exists().where(
        other.c.scope_id == _jobs.c.scope_id,
        other.c.id != _jobs.c.id,
        other.c.state == RUNNING,
        other.c.lease_until >= now,
    )
    waits = [_jobs.c.state == QUEUED]
    if not ignore_pause:
        not_made_yet = sa.bindparam("not_made_yet", type_=schema.Instant)
        no_pause_so_long = sa.bindparam("no_pause_so_long", type_=schema.Instant)
        # the clock may have been set back, by days, since it was queued or failed
        is_due_by_any_clock = sa.or_(
            _jobs.c.created_at > not_made_yet,
            sa.and_(_jobs.c.attempts > 0, _jobs.c.run_after > no_pause_so_long),
        )
        waits.append(sa.or_(_jobs.c.run_after <= now, is_due_by_any_clock))
    is_due = sa.or_(sa.and_(*waits), sa.and_(_jobs.c.state == RUNNING, _jobs.c.lease_until < now))
    statement = _of(_SELECT, scope).where(is_due, ~is_busy)
    if kinds is not None:
        statement = statement.where(_jobs.c.kind.in_(list(kinds)))
    if exclude:
        statement = statement.where(_jobs.c.id.not_in(list(exclude)))
    return statement.order_by(_jobs.c.run_after, _jobs.c.seq, _jobs.c.id).limit(1)


def _of(statement: sa.Select[Any], scope: Scope | None) -> sa.Select[Any]:
    return statement if scope is None else statement.where(_scopes.c.hash == scope_hash(scope))


def _held(lease: Lease) -> dict[str, str]:
    return {"id_": lease.job_id, "held": lease.token}


def _lost(lease: Lease) -> ConflictError:
    return ConflictError(
        f"job {lease.job_id!r} is no longer held by this runner: its lease lapsed and another "
        "took it, or it is done; drop this attempt"
    )


def _to_job(row: Any, lease: Lease | None = None) -> Job:
    return Job(
        id=row.id,
        scope=Scope(row.app_id, row.user_id),
        kind=row.kind,
        key=row.key,
        payload=row.payload,
        state=row.state if lease is None else RUNNING,
        attempts=row.attempts if lease is None else row.attempts + 1,
        run_after=row.run_after,
        created_at=row.created_at,
        error=row.error,
        lease=lease,
    )


_SELECT = sa.select(_jobs, _scopes.c.app_id, _scopes.c.user_id).join(
    _scopes, _scopes.c.id == _jobs.c.scope_id
)
_MINE = (
    _jobs.c.id == sa.bindparam("id_"),
    _jobs.c.token == sa.bindparam("held"),
    _jobs.c.state == RUNNING,
)
_ATTEMPTS = sa.select(_jobs.c.attempts).where(*_MINE)
_RELEASE = (
    sa.update(_jobs)
    .where(*_MINE)
    .values(
        state=QUEUED,
        attempts=sa.case((_jobs.c.attempts > 0, _jobs.c.attempts - 1), else_=0),
        run_after=sa.bindparam("now"),
        token=None,
        lease_until=None,
    )
)
_PROLONG = sa.update(_jobs).where(*_MINE).values(lease_until=sa.bindparam("until"))
_FINISH = Prepared(
    lambda _: (
        sa.update(_jobs)
        .where(*_MINE)
        .values(
            state=DONE,
            token=None,
            lease_until=None,
            error=None,
            # what it was about is in the nodes; a second copy of it would outlive their purge
            payload={},
            finished_at=sa.bindparam("now", type_=schema.Instant),
        )
    )
)
_ENQUEUE = insert(_jobs, skip_existing=True)
# a process that was killed did attempt the job, and may have been killed by it
_REAP = (
    sa.update(_jobs)
    .where(*_MINE)
    .values(state=QUEUED, token=None, lease_until=None, run_after=sa.bindparam("now"))
)
# in one order, so that two who reap at once do not wait for each other
_RUNNING = (
    sa.select(_jobs.c.id, _jobs.c.token)
    .where(_jobs.c.state == RUNNING, _jobs.c.token.is_not(None))
    .order_by(_jobs.c.id)
)
_rival = _jobs.alias("rival")
_TAKE = (
    sa.update(_jobs)
    .where(
        _jobs.c.id == sa.bindparam("id_"),
        _jobs.c.state == sa.bindparam("was"),
        _jobs.c.token.is_not_distinct_from(sa.bindparam("old_token", type_=sa.Text)),
        ~sa.exists().where(
            _rival.c.scope_id == _jobs.c.scope_id,
            _rival.c.id != _jobs.c.id,
            _rival.c.state == RUNNING,
            _rival.c.lease_until >= sa.bindparam("now", type_=schema.Instant),
        ),
    )
    .values(
        state=RUNNING,
        attempts=_jobs.c.attempts + 1,
        token=sa.bindparam("token"),
        lease_until=sa.bindparam("lease_until"),
    )
)
_OPEN_LIKE = sa.select(_jobs.c.id).where(
    _jobs.c.scope_id == sa.bindparam("scope_id"),
    _jobs.c.kind == sa.bindparam("kind"),
    _jobs.c.key == sa.bindparam("key"),
    _jobs.c.state.in_(OPEN),
)
