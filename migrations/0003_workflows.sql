-- Workflows. The task row is the queue entry: it is claimed, leased, completed and handed on where it stands, so that the state that
-- people see and the state that the queue works with are one. src/workflows/engine.store.ts calls the functions below.
--
--   blocked ─▶ ready ─▶ progress ─▶ success        blocked: predecessors are not done     held: a foreach runs enough already
--                ▲          │  └──▶ error           delayed: a retry that waits             parked: waits for something that is no worker
--             delayed ◀─────┘                       parked ─▶ ready ─▶ progress: the service itself looks at it
--   anything that is not final ─▶ canceled
--
-- People see pending for blocked, held, delayed and ready, and progress for parked.
--
-- Locks: whoever changes tasks outside of a claim first locks their instances, in the order of ids. Claims and renewals take tasks
-- with `skip locked` and never wait. So nothing waits in a circle.

create table workflow_versions (
  id text primary key,
  plan jsonb not null,
  created_at timestamptz not null default now()
);

create table workflow_instances (
  id uuid primary key,
  project text not null collate "C",
  name text not null collate "C",
  version text not null,
  -- json, not jsonb: kept as it came, and cheaper to write.
  payload json not null,
  is_periodic boolean not null,
  status text not null default 'pending',
  comment text,
  relaunched_from uuid,
  -- Results of tasks that had succeeded there are taken over, elements of a foreach included (retry, not relaunch).
  resumes uuid,
  parent_task_id uuid,
  idempotency_key text unique,
  -- Tasks without successors that are not done. 0 is success; once something failed, the task rows decide instead.
  open_sinks integer not null,
  is_failing boolean not null default false,
  cancel_asked_at timestamptz,
  -- Waits until the former instance of the same workflow has ended (overlap: queue).
  is_held boolean not null default false,
  hooks jsonb,
  priority smallint not null default 0,
  deadline timestamptz,
  error json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 80);
create index workflow_instances_newest on workflow_instances (created_at, id);
create index workflow_instances_by_name on workflow_instances (project, name, created_at, id);
create index workflow_instances_by_status on workflow_instances (status, created_at, id);
-- What went wrong with one workflow: few among many.
create index workflow_instances_failed on workflow_instances (project, name, status, created_at, id) where status in ('error', 'canceled');
create index workflow_instances_deadline on workflow_instances (deadline) where finished_at is null and deadline is not null;
create index workflow_instances_held on workflow_instances (project, name, created_at, id) where is_held;
create index workflow_instances_parent on workflow_instances (parent_task_id) where parent_task_id is not null;
create index workflow_instances_child on workflow_instances (parent_task_id, id) where parent_task_id is not null and finished_at is null;

create table workflow_tasks (
  id uuid primary key,
  instance_id uuid not null,
  -- The item of the plan; hooks have -1 (init), -2 (success), -3 (failure).
  position integer not null,
  -- The element, in a foreach.
  element integer,
  parent_id uuid,
  key text not null,
  run text not null,
  queue text not null collate "C",
  priority smallint not null,
  state text not null,
  waiting integer not null,
  previous uuid[] not null,
  children uuid[] not null,
  is_hook boolean not null default false,
  is_skipped boolean not null default false,
  is_cancel_asked boolean not null default false,
  attempt integer not null default 0,
  failures integer not null default 0,
  lost integer not null default 0,
  retry jsonb,
  timeout_seconds double precision,
  -- delayed, parked: when it is looked at again. progress: when an attempt has taken too long is started_at + timeout_seconds.
  due_at timestamptz,
  lease_until timestamptz,
  worker text,
  progress real,
  result json,
  error json,
  -- What the service has to remember of a parked task: who approved, until when it sleeps, which instance it waits for.
  memo json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz
) with (fillfactor = 70);
create index workflow_tasks_of_instance on workflow_tasks (instance_id, position, element);
create index workflow_tasks_ready on workflow_tasks (queue, priority desc, id) where state = 'ready';
create index workflow_tasks_leased on workflow_tasks (queue, lease_until) where state = 'progress';
create index workflow_tasks_due on workflow_tasks (due_at) where due_at is not null;
create index workflow_tasks_held on workflow_tasks (parent_id, element) where state = 'held';

create table workflow_logs (
  id bigint generated always as identity primary key,
  task_id uuid not null,
  instance_id uuid not null,
  attempt integer not null,
  at timestamptz not null,
  line text not null
);
create index workflow_logs_of_task on workflow_logs (task_id, id);
create index workflow_logs_of_instance on workflow_logs (instance_id);

-- One row a batch of changes. Readers follow in the order (xid, id) and only below the oldest transaction that is still open: ids are
-- handed out before they are committed, so their order alone would lose rows.
create table workflow_events (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default clock_timestamp(),
  changes jsonb not null
);
-- Read once or never: compressing it costs more than it saves.
alter table workflow_events alter column changes set storage external;
create index workflow_events_in_order on workflow_events (xid, id);

create table workflow_schedules (
  fullname text primary key collate "C",
  -- Of the schedule, not of the whole definition: a change starts it anew.
  version text not null,
  next_run timestamptz,
  last_run timestamptz,
  is_paused boolean not null default false,
  updated_at timestamptz not null default now()
);

-- Every queue that was ever used, so that a worker that takes all of them can be given them by name; limits where there are some.
create table workflow_queues (
  name text primary key collate "C",
  concurrency integer,
  rate_per_second double precision,
  tokens double precision not null default 0,
  refilled_at timestamptz not null default now()
);

-- How many instances there are, exact and without counting: by hour of creation, and in all (hour = -infinity). Changes are appended to
-- the deltas, where nobody waits for anybody, and folded into the counts now and then.
create table workflow_counts (
  hour timestamptz not null,
  project text not null collate "C",
  name text not null collate "C",
  is_periodic boolean not null,
  status text not null,
  count bigint not null,
  primary key (hour, project, name, is_periodic, status)
);
create table workflow_count_deltas (
  id bigint generated always as identity primary key,
  hour timestamptz not null,
  project text not null collate "C",
  name text not null collate "C",
  is_periodic boolean not null,
  status text not null,
  count bigint not null
);

create function workflow_count_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- Most updates change no status, and then the two sides cancel out.
    insert into workflow_count_deltas (hour, project, name, is_periodic, status, count)
    select h.hour, x.project, x.name, x.is_periodic, x.status, sum(x.n)
    from (
      select date_trunc('hour', y.created_at, 'UTC') as hour, y.project, y.name, y.is_periodic, y.status, sum(y.n) as n
      from (
        select o.created_at, o.project, o.name, o.is_periodic, o.status, -1 as n from old_rows o
        union all
        select n.created_at, n.project, n.name, n.is_periodic, n.status, 1 from new_rows n
      ) y group by 1, 2, 3, 4, 5 having sum(y.n) <> 0
    ) x cross join lateral (values ('-infinity'::timestamptz), (x.hour)) h (hour)
    group by 1, 2, 3, 4, 5;
  elsif tg_op = 'INSERT' then
    insert into workflow_count_deltas (hour, project, name, is_periodic, status, count)
    select h.hour, x.project, x.name, x.is_periodic, x.status, count(*)
    from new_rows x cross join lateral (values ('-infinity'::timestamptz), (date_trunc('hour', x.created_at, 'UTC'))) h (hour)
    group by 1, 2, 3, 4, 5;
  else
    insert into workflow_count_deltas (hour, project, name, is_periodic, status, count)
    select h.hour, x.project, x.name, x.is_periodic, x.status, -count(*)
    from old_rows x cross join lateral (values ('-infinity'::timestamptz), (date_trunc('hour', x.created_at, 'UTC'))) h (hour)
    group by 1, 2, 3, 4, 5;
  end if;
  return null;
end
$$;
create trigger workflow_instances_inserted after insert on workflow_instances
  referencing new table as new_rows for each statement execute function workflow_count_changes();
create trigger workflow_instances_updated after update on workflow_instances
  referencing old table as old_rows new table as new_rows for each statement execute function workflow_count_changes();
create trigger workflow_instances_deleted after delete on workflow_instances
  referencing old table as old_rows for each statement execute function workflow_count_changes();

create function workflow_fold_counts() returns void language plpgsql as $$
begin
  -- One at a time; who comes second has nothing to do.
  if not pg_try_advisory_xact_lock(hashtext('workflow_fold_counts')) then return; end if;
  with gone as (delete from workflow_count_deltas returning hour, project, name, is_periodic, status, count)
  insert into workflow_counts as c (hour, project, name, is_periodic, status, count)
  select g.hour, g.project, g.name, g.is_periodic, g.status, sum(g.count) from gone g group by 1, 2, 3, 4, 5 having sum(g.count) <> 0
  on conflict (hour, project, name, is_periodic, status) do update set count = c.count + excluded.count;
  delete from workflow_counts where count = 0;
end
$$;

-- A UUID of version 7: begins with the time, so that younger rows sort behind older ones.
create function workflow_new_id() returns uuid language sql volatile as $$
  select (substr(t.hex, 1, 8) || '-' || substr(t.hex, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
  from (select lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') as hex) t
$$;

create function workflow_wire_status(state text) returns text language sql immutable as $$
  select case when state in ('success', 'error', 'canceled', 'progress') then state when state = 'parked' then 'progress' else 'pending' end
$$;

-- The service may look at a task several times; people count attempts.
create function workflow_wire_attempt(queue text, attempt integer, failures integer, state text) returns integer language sql immutable as $$
  select case when queue = '~service' and attempt > 0 then failures + (state not in ('error', 'delayed'))::integer else attempt end
$$;

-- The wait before the next attempt, after so many failures.
create function workflow_retry_delay(retry jsonb, failures integer) returns interval language sql immutable as $$
  select make_interval(secs => least(
    (retry ->> 'maxDelaySeconds')::double precision,
    (retry ->> 'delaySeconds')::double precision * case retry ->> 'backoff'
      when 'linear' then failures when 'exponential' then power(2, least(failures - 1, 60)) else 1 end))
$$;

-- Ready tasks of some queues become the worker's, at most p_max.
create function workflow_claim(p_worker text, p_lease double precision, p_max integer, p_queues text[], p_tasks text[])
returns table (id uuid, instance_id uuid, "position" integer, element integer, attempt integer)
language plpgsql
-- A plan made while the table was empty would scan it for ever; these make every step go through an index. What they forbid looks so dear to
-- the planner that it would compile it first (150 ms), hence jit. With free pages it is the number of rows
-- that counts: a plan must begin at the few that are given, never at the many that are there.
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_queue text;
  v_left integer := p_max;
  v_allowed integer;
  v_limit workflow_queues%rowtype;
  v_ids uuid[] := '{}';
  v_more uuid[];
begin
  foreach v_queue in array p_queues loop
    exit when v_left <= 0;
    v_allowed := v_left;
    select * into v_limit from workflow_queues q
    where q.name = v_queue and (q.concurrency is not null or q.rate_per_second is not null) for update;
    if found then
      if v_limit.concurrency is not null then
        select least(v_allowed, v_limit.concurrency - count(*))::integer into v_allowed
        from workflow_tasks t where t.state = 'progress' and t.queue = v_queue;
      end if;
      if v_limit.rate_per_second is not null then
        -- A bucket that holds what one second brings, and at least one.
        v_limit.tokens := least(
          greatest(1, v_limit.rate_per_second),
          v_limit.tokens + v_limit.rate_per_second * extract(epoch from v_now - v_limit.refilled_at)::double precision);
        v_allowed := least(v_allowed, floor(v_limit.tokens)::integer);
      end if;
    end if;
    if v_allowed > 0 then
      v_more := array(
        select t.id from workflow_tasks t
        where t.state = 'ready' and t.queue = v_queue and (p_tasks is null or t.run = any (p_tasks))
        order by t.queue, t.priority desc, t.id limit v_allowed for update skip locked);
      update workflow_tasks t set state = 'progress', attempt = t.attempt + 1, worker = p_worker,
        started_at = case when t.memo is null then v_now else t.started_at end, updated_at = v_now,
        lease_until = v_now + make_interval(secs => p_lease), progress = null
      where t.id = any (v_more);
      v_ids := v_ids || v_more;
      v_left := v_left - cardinality(v_more);
      if v_limit.rate_per_second is not null then
        update workflow_queues q set tokens = v_limit.tokens - cardinality(v_more), refilled_at = v_now where q.name = v_queue;
      end if;
    end if;
  end loop;
  if cardinality(v_ids) > 0 then
    perform workflow_note_started(v_ids, v_now);
    return query select t.id, t.instance_id, t.position, t.element, t.attempt
      from workflow_tasks t where t.id = any (v_ids) order by t.priority desc, t.id;
  end if;
end
$$;

-- An instance of which a task runs is in progress. Whoever holds the instance does it later (workflow_report), so nobody waits here.
create function workflow_note_started(p_tasks uuid[], p_now timestamptz) returns void
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_changes jsonb;
  v_begun jsonb;
begin
  with pending as (
    -- Not by status: there is an index on it, and thousands may be pending.
    select i.id from workflow_instances i
    where i.id = any (array(select t.instance_id from workflow_tasks t where t.id = any (p_tasks))) and i.started_at is null and i.finished_at is null
    for update skip locked
  ), begun as (
    update workflow_instances i set status = 'progress', started_at = p_now, updated_at = p_now
    where i.id = any (array(select p.id from pending p)) returning i.id, i.project, i.name
  )
  select jsonb_agg(jsonb_build_array('i', b.id, b.project, b.name, 'progress')) into v_begun from begun b;
  select jsonb_agg(jsonb_build_array('t', t.instance_id, t.id, t.key, 'progress', t.attempt)) into v_changes
  from workflow_tasks t where t.id = any (p_tasks) and t.queue <> '~service';
  if v_begun is not null or v_changes is not null then
    insert into workflow_events (changes) values (coalesce(v_begun, '[]') || coalesce(v_changes, '[]'));
  end if;
end
$$;

-- Tasks whose attempt went wrong, for good or not. The instances are locked. What is downstream of a task that failed for good is
-- canceled; its instance ends when nothing of it runs any more.
create function workflow_fail(p_ids uuid[], p_errors json[], p_retryable boolean[], p_now timestamptz) returns void
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_changes jsonb;
  v_more jsonb;
  v_dead uuid[];
begin
  with f as (select * from unnest(p_ids, p_errors, p_retryable) f (id, error, is_retryable)),
  hit as (
    update workflow_tasks t set
      state = case when t.is_cancel_asked then 'canceled'
        when f.is_retryable and t.failures + 1 < coalesce((t.retry ->> 'attempts')::integer, 1) then 'delayed' else 'error' end,
      due_at = case when not t.is_cancel_asked and f.is_retryable and t.failures + 1 < coalesce((t.retry ->> 'attempts')::integer, 1)
        then p_now + workflow_retry_delay(t.retry, t.failures + 1) end,
      failures = t.failures + 1, error = f.error, lease_until = null, waiting = 0, updated_at = p_now,
      finished_at = case when not t.is_cancel_asked and f.is_retryable and t.failures + 1 < coalesce((t.retry ->> 'attempts')::integer, 1)
        then null else p_now end
    from f where t.id = f.id
    returning t.id, t.instance_id, t.key, t.state, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt, t.is_hook
  )
  select jsonb_agg(jsonb_build_array('t', h.instance_id, h.id, h.key, workflow_wire_status(h.state), h.attempt)),
    array_agg(h.id) filter (where h.state <> 'delayed' and not h.is_hook)
  into v_changes, v_dead from hit h;
  if v_dead is not null then
    -- An element that failed fails its foreach.
    with failed as (
      update workflow_tasks t set state = 'error', finished_at = p_now, updated_at = p_now, due_at = null,
        error = json_build_object('message', format('%s failed: %s', c.key, c.error ->> 'message'))
      from (select distinct on (c.parent_id) c.parent_id, c.key, c.error from workflow_tasks c where c.id = any (v_dead) and c.parent_id is not null
            and c.state = 'error' order by c.parent_id, c.element) c
      where t.id = c.parent_id and t.state in ('parked', 'ready')
      returning t.id, t.instance_id, t.key, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
    )
    select v_dead || coalesce(array_agg(f.id), '{}'), jsonb_agg(jsonb_build_array('t', f.instance_id, f.id, f.key, 'error', f.attempt))
    into v_dead, v_more from failed f;
    v_changes := v_changes || coalesce(v_more, '[]');
    -- UNION, not UNION ALL: several ways may lead to one task.
    with recursive down (id) as (
      select c from workflow_tasks t, unnest(t.children) c where t.id = any (v_dead)
      union
      -- offset 0: looked up one by one.
      select c from down d cross join lateral (select t.children from workflow_tasks t where t.id = d.id offset 0) t, unnest(t.children) c
    ), doomed as (
      select d.id from down d
      union
      select s.id from workflow_tasks s where s.instance_id = any (array(select t.instance_id from workflow_tasks t where t.id = any (v_dead)))
        and s.parent_id = any (v_dead || array(select t.parent_id from workflow_tasks t where t.id = any (v_dead)))
    ), stopped as (
      update workflow_tasks t set state = 'canceled', finished_at = p_now, updated_at = p_now, due_at = null
      where t.id = any (array(select d.id from doomed d)) and t.state in ('blocked', 'held', 'ready', 'delayed', 'parked')
      returning t.id, t.instance_id, t.key, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
    )
    select jsonb_agg(jsonb_build_array('t', s.instance_id, s.id, s.key, 'canceled', s.attempt)) into v_more from stopped s;
    v_changes := v_changes || coalesce(v_more, '[]');
    update workflow_instances i set is_failing = true, updated_at = p_now
    where i.id = any (array(select t.instance_id from workflow_tasks t where t.id = any (v_dead))) and not i.is_failing and i.finished_at is null;
  end if;
  if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
end
$$;

-- Instances of which nothing is left to do get their final status and their hook. They are locked. p_sinks: the instance of each task
-- without successors that was done just now. Returns those that ended.
create function workflow_finish(p_instances uuid[], p_sinks uuid[], p_now timestamptz)
returns table (id uuid, parent_task_id uuid, fullname text, status text, hook_queue text)
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_changes jsonb;
  v_over uuid[];
  v_going uuid[];
  v_counts integer[];
  v_ended uuid[];
begin
  with given as (
    select g.id, sum(g.n)::integer as n from (
      select x as id, 0 as n from unnest(p_instances) x union all select x, 1 from unnest(p_sinks) x) g group by g.id
  ), judged as (
    -- offset 0: looked up one by one.
    select i.id, g.n, case when i.is_failing or i.cancel_asked_at is not null
        then not exists (select from workflow_tasks t where t.instance_id = i.id and not t.is_hook and t.state not in ('success', 'error', 'canceled'))
        else i.open_sinks = g.n end as is_over
    from given g cross join lateral (select * from workflow_instances i where i.id = g.id offset 0) i where i.finished_at is null
  )
  select array_agg(j.id) filter (where j.is_over), array_agg(j.id) filter (where not j.is_over and j.n > 0),
    array_agg(j.n) filter (where not j.is_over and j.n > 0)
  into v_over, v_going, v_counts from judged j;
  if v_going is not null then
    update workflow_instances i set open_sinks = i.open_sinks - g.n from unnest(v_going, v_counts) g (id, n) where i.id = g.id;
  end if;
  if v_over is null then return; end if;
  with ended as (
    update workflow_instances i set open_sinks = 0, finished_at = p_now, updated_at = p_now, started_at = coalesce(i.started_at, p_now),
      status = case when i.cancel_asked_at is not null then 'canceled' when i.is_failing then 'error' else 'success' end
    where i.id = any (v_over)
    returning i.id, i.project, i.name, i.status
  )
  select array_agg(e.id), jsonb_agg(jsonb_build_array('i', e.id, e.project, e.name, e.status)) into v_ended, v_changes from ended e;
  insert into workflow_events (changes) values (v_changes);
  insert into workflow_tasks (id, instance_id, position, key, run, queue, priority, state, waiting, previous, children, is_hook, retry,
    timeout_seconds, created_at, updated_at)
  select workflow_new_id(), i.id, case i.status when 'success' then -2 else -3 end, h.hook ->> 'key', h.hook ->> 'run', h.hook ->> 'queue', i.priority,
    'ready', 0, '{}', '{}', true, nullif(h.hook -> 'retry', 'null'), (h.hook ->> 'timeout_seconds')::double precision, p_now, p_now
  from workflow_instances i
  cross join lateral (select i.hooks -> case i.status when 'success' then 'success' when 'error' then 'failure' end as hook) h
  where i.id = any (v_ended) and i.hooks is not null and h.hook is not null;
  return query select i.id, i.parent_task_id, i.project || '.' || i.name, i.status,
      i.hooks -> case i.status when 'success' then 'success' when 'error' then 'failure' end ->> 'queue'
    from workflow_instances i where i.id = any (v_ended);
end
$$;

-- All that a worker has to say, in one transaction, and what it may do next. Rows: what = next (its task now), rejected (with the reason),
-- canceled (should stop), ended (an instance: detail is its status), ready (others may find work in this queue now).
create function workflow_report(
  p_worker text, p_lease double precision, p_max integer, p_queues text[], p_tasks text[],
  p_done uuid[], p_done_attempts integer[], p_results json[],
  p_failed uuid[], p_failed_attempts integer[], p_errors json[], p_retryable boolean[],
  p_released uuid[], p_released_attempts integer[],
  p_running uuid[], p_running_attempts integer[], p_progress real[])
returns table (what text, id uuid, instance_id uuid, "position" integer, element integer, attempt integer, detail text, parent_task_id uuid, queue text)
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_ending uuid[];
  v_unbegun uuid[];
  v_sinks uuid[] := '{}';
  v_limited text[];
  v_accepted uuid[] := '{}';
  v_parents uuid[];
  v_next uuid[] := '{}';
  v_ids uuid[];
  v_errors json[];
  v_retryable boolean[];
  v_changes jsonb;
  v_ready text[] := '{}';
begin
  if cardinality(p_done) + cardinality(p_failed) + cardinality(p_released) > 0 then
    select array_agg(l.id) filter (where l.is_ending), array_agg(l.id) filter (where l.status = 'pending') into v_ending, v_unbegun
    from (
      select i.id, i.status, i.is_failing or i.cancel_asked_at is not null as is_ending from workflow_instances i
      where i.id = any (array(select t.instance_id from workflow_tasks t where t.id = any (p_done || p_failed || p_released)))
      order by i.id for update) l;
    if v_unbegun is not null then
      -- A claim that met the lock of this row could not say that the instance had begun.
      update workflow_instances i set status = 'progress', started_at = v_now, updated_at = v_now where i.id = any (v_unbegun);
    end if;
  end if;

  if cardinality(p_done) > 0 then
    select coalesce(array_agg(q.name), '{}') into v_limited from workflow_queues q where q.concurrency is not null or q.rate_per_second is not null;
    with d as (select * from unnest(p_done, p_done_attempts, p_results) d (id, attempt, result)),
    done as (
      update workflow_tasks t set state = 'success', result = d.result, error = null, progress = null, lease_until = null,
        finished_at = v_now, updated_at = v_now
      from d
      -- The lease tells whose it is; asking for the state would make the planner walk the index of leases.
      where t.id = d.id and t.attempt = d.attempt and t.worker = p_worker and t.lease_until is not null
      returning t.id, t.instance_id, t.key, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt, t.children, t.parent_id, t.is_hook
    ),
    finished_before as (select c as id, count(*)::integer as n from done, unnest(done.children) c group by c),
    candidates as (
      select t.id, t.waiting - f.n as waiting,
        t.waiting = f.n and t.queue = any (p_queues) and (p_tasks is null or t.run = any (p_tasks)) and t.queue <> all (v_limited) as is_mine
      from finished_before f join workflow_tasks t on t.id = f.id where t.state in ('blocked', 'parked')
    ),
    ranked as (select c.id, c.waiting, c.is_mine and row_number() over (partition by c.is_mine order by c.id) <= p_max as is_mine from candidates c),
    -- A task that is not ready yet keeps its state and its lease: the update stays within its page.
    counted as (update workflow_tasks t set waiting = r.waiting from ranked r where t.id = r.id and r.waiting > 0),
    freed as (
      update workflow_tasks t set waiting = 0, due_at = null, updated_at = v_now,
        state = case when r.is_mine then 'progress' else 'ready' end,
        attempt = t.attempt + r.is_mine::integer,
        worker = case when r.is_mine then p_worker else t.worker end,
        started_at = case when r.is_mine then v_now else t.started_at end,
        lease_until = case when r.is_mine then v_now + make_interval(secs => p_lease) end
      from ranked r where t.id = r.id and r.waiting = 0
      returning t.id, t.instance_id, t.key, t.attempt, t.queue, r.is_mine
    )
    select array(select d.id from done d), array(select d.instance_id from done d where cardinality(d.children) = 0 and not d.is_hook), array(select f.id from freed f where f.is_mine), array(select distinct f.queue from freed f where not f.is_mine),
      array(select d.parent_id from done d where d.parent_id is not null),
      (select jsonb_agg(c.change) from (
        select jsonb_build_array('t', d.instance_id, d.id, d.key, 'success', d.attempt) as change from done d
        union all
        select jsonb_build_array('t', f.instance_id, f.id, f.key, 'progress', f.attempt) from freed f where f.is_mine) c)
    into v_accepted, v_sinks, v_next, v_ready, v_parents, v_changes;
    if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
    if cardinality(v_parents) > 0 then
      -- Each element that is done lets another one of its foreach go.
      update workflow_tasks t set state = 'ready', updated_at = v_now
      from (select p.id, count(*) as n from unnest(v_parents) p (id) group by p.id) p
      cross join lateral (select h.id from workflow_tasks h where h.parent_id = p.id and h.state = 'held' order by h.element limit p.n) h
      where t.id = h.id;
      v_ready := v_ready || array(select distinct t.queue from workflow_tasks t where t.id = any (p_done) and t.parent_id is not null);
    end if;
  end if;

  if cardinality(p_failed) > 0 then
    select array_agg(f.id), array_agg(f.error), array_agg(f.is_retryable) into v_ids, v_errors, v_retryable
    from unnest(p_failed, p_failed_attempts, p_errors, p_retryable) f (id, attempt, error, is_retryable)
    join workflow_tasks t on t.id = f.id and t.attempt = f.attempt and t.worker = p_worker and t.lease_until is not null;
    if v_ids is not null then
      perform workflow_fail(v_ids, v_errors, v_retryable, v_now);
      v_accepted := v_accepted || v_ids;
      v_ending := v_ending || array(select t.instance_id from workflow_tasks t where t.id = any (v_ids));
    end if;
  end if;

  if cardinality(p_released) > 0 then
    with mine as (
      select t.id from unnest(p_released, p_released_attempts) r (id, attempt)
      join workflow_tasks t on t.id = r.id and t.attempt = r.attempt and t.worker = p_worker and t.lease_until is not null
      for update of t skip locked
    ), back as (
      -- What was asked to stop has stopped; nobody else should begin it again.
      update workflow_tasks t set state = case when t.is_cancel_asked then 'canceled' else 'ready' end, lease_until = null,
        worker = case when t.is_cancel_asked then t.worker end, progress = null, updated_at = v_now,
        finished_at = case when t.is_cancel_asked then v_now end
      from mine m where t.id = m.id returning t.id, t.instance_id, t.key, t.state, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
    )
    select jsonb_agg(jsonb_build_array('t', b.instance_id, b.id, b.key, workflow_wire_status(b.state), b.attempt)) into v_changes from back b;
    if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
    v_ready := v_ready || array(select distinct t.queue from workflow_tasks t where t.id = any (p_released));
  end if;

  if v_ending is not null or cardinality(v_sinks) > 0 then
    return query select 'ended', f.id, null::uuid, null::integer, null::integer, null::integer, f.status, f.parent_task_id, f.hook_queue
      from workflow_finish(v_ending, v_sinks, v_now) f;
  end if;
  if cardinality(v_accepted) < cardinality(p_done) + cardinality(p_failed) then
    return query select 'rejected', r.id, null::uuid, null::integer, null::integer, null::integer,
        case when t.id is null then 'there is no such task' when t.finished_at is not null then 'it is ' || t.state || ' already'
          else 'it is no longer yours: the lease ran out or it was handed on' end, null::uuid, null::text
      from unnest(p_done || p_failed) r (id) left join workflow_tasks t on t.id = r.id where r.id <> all (v_accepted);
  end if;

  if cardinality(p_running) > 0 then
    with mine as (
      select t.id, r.progress from unnest(p_running, p_running_attempts, p_progress) r (id, attempt, progress)
      join workflow_tasks t on t.id = r.id and t.attempt = r.attempt and t.worker = p_worker and t.lease_until is not null
      for update of t skip locked
    ), renewed as (
      update workflow_tasks t set lease_until = v_now + make_interval(secs => p_lease), progress = coalesce(m.progress, t.progress)
      from mine m where t.id = m.id returning t.id, t.instance_id, t.key, t.attempt, m.progress
    )
    select jsonb_agg(jsonb_build_array('t', r.instance_id, r.id, r.key, 'progress', r.attempt, round(r.progress::numeric, 3)))
      filter (where r.progress is not null) into v_changes from renewed r;
    if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
    return query select case when t.lease_until is null or t.worker <> p_worker or t.attempt <> r.attempt then 'rejected' else 'canceled' end,
        r.id, null::uuid, null::integer, null::integer, null::integer, 'it is no longer yours: the lease ran out, it was handed on or it has ended', null::uuid, null::text
      from unnest(p_running, p_running_attempts) r (id, attempt) left join workflow_tasks t on t.id = r.id
      where t.id is null or t.lease_until is null or t.worker <> p_worker or t.attempt <> r.attempt or t.is_cancel_asked;
  end if;

  if cardinality(v_ready) > 0 then
    return query select 'ready', null::uuid, null::uuid, null::integer, null::integer, null::integer, null::text, null::uuid, x.queue from unnest(v_ready) x (queue);
  end if;
  if cardinality(v_next) > 0 then
    return query select 'next', t.id, t.instance_id, t.position, t.element, t.attempt, null::text, null::uuid, null::text
      from workflow_tasks t where t.id = any (v_next) order by t.priority desc, t.id;
  end if;
  if p_max > cardinality(v_next) then
    return query select 'next', c.id, c.instance_id, c.position, c.element, c.attempt, null::text, null::uuid, null::text
      from workflow_claim(p_worker, p_lease, p_max - cardinality(v_next), p_queues, p_tasks) c;
  end if;
end
$$;

-- Stops an instance: what has not begun is canceled at once, what runs is asked to stop. False if it has ended already.
create function workflow_cancel(p_instance uuid, p_now timestamptz)
returns table (id uuid, parent_task_id uuid, fullname text, status text, hook_queue text)
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_changes jsonb;
begin
  perform from workflow_instances i where i.id = p_instance and i.finished_at is null for update;
  if not found then return; end if;
  with stopped as (
    update workflow_tasks t set updated_at = p_now, due_at = null,
      is_cancel_asked = true,
      state = case when t.state = 'progress' then t.state else 'canceled' end,
      finished_at = case when t.state = 'progress' then null else p_now end
    where t.instance_id = p_instance and not t.is_hook and t.state not in ('success', 'error', 'canceled')
    returning t.id, t.instance_id, t.key, t.state, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
  )
  select jsonb_agg(jsonb_build_array('t', s.instance_id, s.id, s.key, 'canceled', s.attempt)) filter (where s.state = 'canceled') into v_changes from stopped s;
  if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
  update workflow_instances i set cancel_asked_at = coalesce(i.cancel_asked_at, p_now), updated_at = p_now, is_held = false where i.id = p_instance;
  return query select * from workflow_finish(array[p_instance], '{}', p_now);
end
$$;

-- What a sleeping service has to do, one round of it; several processes may do it at once. Rows: what = ended (an instance), or a count of
-- what was taken care of (due, taken_over, abandoned, expired).
create function workflow_sweep(p_grace double precision, p_max_lost integer)
returns table (what text, id uuid, parent_task_id uuid, fullname text, status text, count bigint)
language plpgsql
set jit = off set random_page_cost = 0 set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_tasks uuid[];
  v_instances uuid[];
  v_ids uuid[];
  v_errors json[];
  v_retryable boolean[];
  v_changes jsonb;
  v_count bigint;
begin
  -- Retries and alarms that are due.
  with due as (
    select t.id from workflow_tasks t where t.due_at <= v_now and t.state in ('delayed', 'parked') order by t.due_at limit 1000 for update skip locked
  )
  update workflow_tasks t set state = 'ready', due_at = null, updated_at = v_now where t.id = any (array(select d.id from due d));
  get diagnostics v_count = row_count;
  if v_count > 0 then return query select 'due', null::uuid, null::uuid, null::text, null::text, v_count; end if;

  -- Running tasks that nobody speaks for, that take too long, or that did not stop when asked to.
  select array_agg(t.id), array_agg(distinct t.instance_id) into v_tasks, v_instances from (
    select t.id, t.instance_id from workflow_tasks t
    where t.state = 'progress' and (t.lease_until < v_now or t.started_at + make_interval(secs => t.timeout_seconds + p_grace) < v_now
      or t.is_cancel_asked and exists (select from workflow_instances i
        where i.id = t.instance_id and i.cancel_asked_at + make_interval(secs => p_grace) < v_now))
    order by t.lease_until limit 500) t;
  if v_tasks is not null then
    select array_agg(l.id) into v_instances
    from (select i.id from workflow_instances i where i.id = any (v_instances) order by i.id for update skip locked) l;
    v_instances := coalesce(v_instances, '{}');
    perform from workflow_tasks t where t.id = any (v_tasks) and t.instance_id = any (v_instances) order by t.id for update;
    select array_agg(t.id), array_agg(case
        when t.is_cancel_asked then '{"message": "It was canceled, did not stop when asked to, and was given up."}'
        when t.started_at + make_interval(secs => t.timeout_seconds + p_grace) < v_now
          then json_build_object('message', format('It timed out after %s s.', t.timeout_seconds))
        else json_build_object('message', format('Its worker (%s) died or fell silent %s times while it ran.', t.worker, t.lost + 1)) end),
      array_agg(t.started_at + make_interval(secs => t.timeout_seconds + p_grace) < v_now and not t.is_cancel_asked)
    into v_ids, v_errors, v_retryable
    from workflow_tasks t left join workflow_instances i on i.id = t.instance_id
    where t.id = any (v_tasks) and t.instance_id = any (v_instances) and t.state = 'progress'
      and (t.started_at + make_interval(secs => t.timeout_seconds + p_grace) < v_now
        or (t.lease_until < v_now and (t.is_cancel_asked or t.lost + 1 >= p_max_lost))
        or i.cancel_asked_at + make_interval(secs => p_grace) < v_now and t.is_cancel_asked);
    if v_ids is not null then
      perform workflow_fail(v_ids, v_errors, v_retryable, v_now);
      return query select 'abandoned', null::uuid, null::uuid, null::text, null::text, cardinality(v_ids)::bigint;
    end if;
    with back as (
      update workflow_tasks t set state = 'ready', lost = t.lost + 1, worker = null, lease_until = null, progress = null, updated_at = v_now
      where t.id = any (v_tasks) and t.instance_id = any (v_instances) and t.state = 'progress' and t.lease_until < v_now
      returning t.id, t.instance_id, t.key, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
    )
    select count(*), jsonb_agg(jsonb_build_array('t', b.instance_id, b.id, b.key, 'pending', b.attempt)) into v_count, v_changes from back b;
    if v_count > 0 then
      insert into workflow_events (changes) values (v_changes);
      return query select 'taken_over', null::uuid, null::uuid, null::text, null::text, v_count;
    end if;
    return query select 'ended', f.id, f.parent_task_id, f.fullname, f.status, null::bigint from workflow_finish(v_instances, '{}', v_now) f;
  end if;

  -- Instances that take too long as a whole.
  select array_agg(l.id) into v_instances from (
    select i.id from workflow_instances i where i.deadline < v_now and i.finished_at is null
    order by i.deadline limit 100 for update skip locked) l;
  if v_instances is not null then
    -- Once is enough: without a deadline it is not found again.
    update workflow_instances i set is_failing = true, updated_at = v_now, deadline = null,
      error = json_build_object('message', format('It did not end within %s s.', round(extract(epoch from i.deadline - i.created_at))))
    where i.id = any (v_instances);
    with stopped as (
      update workflow_tasks t set updated_at = v_now, due_at = null, is_cancel_asked = true,
        state = case when t.state = 'progress' then t.state else 'canceled' end,
        finished_at = case when t.state = 'progress' then null else v_now end,
        -- What runs has the grace to stop, and then has timed out.
        timeout_seconds = case when t.state = 'progress' then extract(epoch from v_now - t.started_at) else t.timeout_seconds end
      where t.instance_id = any (v_instances) and not t.is_hook and t.state not in ('success', 'error', 'canceled')
      returning t.id, t.instance_id, t.key, t.state, workflow_wire_attempt(t.queue, t.attempt, t.failures, t.state) as attempt
    )
    select jsonb_agg(jsonb_build_array('t', s.instance_id, s.id, s.key, 'canceled', s.attempt)) filter (where s.state = 'canceled') into v_changes from stopped s;
    if v_changes is not null then insert into workflow_events (changes) values (v_changes); end if;
    return query select 'expired', null::uuid, null::uuid, null::text, null::text, cardinality(v_instances)::bigint;
    return query select 'ended', f.id, f.parent_task_id, f.fullname, f.status, null::bigint from workflow_finish(v_instances, '{}', v_now) f;
  end if;

  -- Instances that a task started which no longer waits for them: it was canceled, timed out or replaced.
  select array_agg(l.id) into v_instances from (
    select i.id from workflow_instances i left join workflow_tasks t on t.id = i.parent_task_id
    where i.parent_task_id is not null and i.finished_at is null and i.cancel_asked_at is null and (t.id is null or t.finished_at is not null)
    order by i.id limit 100 for update of i skip locked) l;
  if v_instances is not null then
    return query select 'orphaned', null::uuid, null::uuid, null::text, null::text, cardinality(v_instances)::bigint;
    return query select 'ended', c.id, c.parent_task_id, c.fullname, c.status, null::bigint
      from unnest(v_instances) o (id) cross join lateral workflow_cancel(o.id, v_now) c;
  end if;
end
$$;

-- Now and then: what can never go on is ended, with the reason. Same rows as workflow_sweep (unclaimed, stuck).
create function workflow_end_stuck(p_unclaimed double precision)
returns table (what text, id uuid, parent_task_id uuid, fullname text, status text, count bigint)
language plpgsql
as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_tasks uuid[];
  v_instances uuid[];
begin
  select array_agg(t.id), array_agg(distinct t.instance_id) into v_tasks, v_instances from (
    select t.id, t.instance_id from workflow_tasks t
    where t.state = 'ready' and t.updated_at < v_now - make_interval(secs => p_unclaimed) limit 500) t;
  if v_tasks is not null then
    select coalesce(array_agg(l.id), '{}') into v_instances
    from (select i.id from workflow_instances i where i.id = any (v_instances) order by i.id for update skip locked) l;
    select array_agg(t.id) into v_tasks
    from (select t.id from workflow_tasks t where t.id = any (v_tasks) and t.instance_id = any (v_instances) and t.state = 'ready' order by t.id for update skip locked) t;
    if v_tasks is not null then
      perform workflow_fail(array_agg(t.id), array_agg(json_build_object('message',
        format('No worker asked for the task %s of the queue %s within %s s.', t.run, t.queue, p_unclaimed))), array_agg(false), v_now)
      from workflow_tasks t where t.id = any (v_tasks);
      return query select 'unclaimed', null::uuid, null::uuid, null::text, null::text, cardinality(v_tasks)::bigint;
      return query select 'ended', f.id, f.parent_task_id, f.fullname, f.status, null::bigint from workflow_finish(v_instances, '{}', v_now) f;
    end if;
  end if;

  -- The oldest first: an instance of which nothing runs, waits or is due will not go on by itself.
  select array_agg(l.id) into v_instances from (
    select i.id from workflow_instances i
    where i.status in ('pending', 'progress') and not i.is_held and i.updated_at < v_now - interval '60 seconds'
      and not exists (select from workflow_tasks t where t.instance_id = i.id and not t.is_hook
        and t.state in ('ready', 'progress', 'delayed', 'held', 'parked'))
    order by i.created_at limit 100 for update skip locked) l;
  if v_instances is not null then
    update workflow_tasks t set state = 'canceled', finished_at = v_now, updated_at = v_now
    where t.instance_id = any (v_instances) and t.state = 'blocked';
    update workflow_instances i set is_failing = true, error = '{"message": "Nothing of it could go on; what was left has been canceled."}'
    where i.id = any (v_instances)
      and exists (select from workflow_tasks t where t.instance_id = i.id and not t.is_hook and t.state <> 'success');
    update workflow_instances i set open_sinks = 0 where i.id = any (v_instances) and not i.is_failing;
    return query select 'stuck', null::uuid, null::uuid, null::text, null::text, cardinality(v_instances)::bigint;
    return query select 'ended', f.id, f.parent_task_id, f.fullname, f.status, null::bigint from workflow_finish(v_instances, '{}', v_now) f;
  end if;
end
$$;

-- Instances with all that belongs to them.
create function workflow_delete(p_instances uuid[]) returns void language plpgsql as $$
begin
  delete from workflow_logs where instance_id = any (p_instances);
  delete from workflow_tasks where instance_id = any (p_instances);
  delete from workflow_instances where id = any (p_instances);
end
$$;
