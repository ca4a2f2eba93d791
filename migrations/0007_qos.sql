-- Quality of service: what is checked, what was measured, what came of it.

create table qos_settings (
  team_id uuid primary key references teams (id) on delete cascade,
  -- { name: text }, for the templates of checks
  variables json not null default '{}',
  -- As DepC did it: a dependency counts for the whole day, however short its relationship was active.
  counts_whole_day boolean not null default false,
  updated_at timestamptz not null default now()
);

create table qos_rules (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  description text not null default '',
  variables json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  unique (team_id, name)
);

create table qos_checks (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  description text not null default '',
  source_id uuid not null,
  -- A template in the source's own language; unused where the source is `push`.
  query text not null default '',
  -- The value is good from `low` to `high`, both included; null is no bound.
  low double precision,
  high double precision,
  -- Off: only the seconds between the first and the last point count.
  is_filled boolean not null default true,
  variables json not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (team_id, id),
  unique (team_id, name),
  foreign key (team_id, source_id) references integrations (team_id, id)
);
create index qos_checks_by_source on qos_checks (team_id, source_id);

create table qos_rule_checks (
  team_id uuid not null,
  rule_id uuid not null,
  check_id uuid not null,
  primary key (team_id, rule_id, check_id),
  foreign key (team_id, rule_id) references qos_rules (team_id, id) on delete cascade,
  foreign key (team_id, check_id) references qos_checks (team_id, id) on delete cascade
);
create index qos_rule_checks_by_check on qos_rule_checks (team_id, check_id);

create table qos_source_variables (
  team_id uuid not null,
  source_id uuid not null,
  variables json not null,
  primary key (team_id, source_id),
  foreign key (team_id, source_id) references integrations (team_id, id) on delete cascade
);

-- What was pushed. A repeated measurement replaces the former one. No foreign keys: checked row by row they were measured to take three
-- quarters of the time of writing. Whoever writes holds the checks instead (for key share), and with a check go its measurements.
create table qos_measurements (
  team_id uuid not null,
  check_id uuid not null,
  label text not null,
  name text not null,
  ts bigint not null,
  value double precision not null,
  primary key (team_id, check_id, label, name, ts)
);
-- For retention.
create index qos_measurements_by_time on qos_measurements (ts);

create function qos_delete_measurements() returns trigger language plpgsql as $$
begin
  delete from qos_measurements where team_id = old.team_id and check_id = old.id;
  return null;
end
$$;
create trigger qos_checks_delete_measurements after delete on qos_checks
  for each row execute function qos_delete_measurements();

-- A computation of one day of one team.
create table qos_runs (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null,
  day date not null,
  -- The configuration as it was when the run began: { Label: { qos } }, in the order in which labels are computed.
  config json not null,
  counts_whole_day boolean not null,
  -- A trial shows what would change and changes nothing; its figures go after a day.
  is_trial boolean not null,
  -- Null until the workflow is there.
  instance_id uuid,
  started_at timestamptz not null,
  finished_at timestamptz,
  error text,
  primary key (team_id, id)
);
create index qos_runs_by_day on qos_runs (team_id, day desc, started_at desc);

-- Pieces of a run; a piece of stage n needs all of stage n - 1.
create table qos_chunks (
  team_id uuid not null,
  run_id uuid not null,
  position integer not null,
  stage integer not null,
  label text not null,
  -- Nodes of the label with from_node <= id < to_node; null is no end.
  from_node integer not null,
  to_node integer,
  -- Null until it is done.
  nodes integer,
  primary key (team_id, run_id, position),
  foreign key (team_id, run_id) references qos_runs (team_id, id) on delete cascade
);

-- One figure a node and day; `trial` is zero, or the trial that made it.
create table qos_figures (
  team_id uuid not null references teams (id) on delete cascade,
  trial uuid not null default '00000000-0000-0000-0000-000000000000',
  day date not null,
  node_id integer not null,
  label text not null,
  -- Percent with three decimals; null is: nothing was known.
  value double precision,
  -- Percent of the day that was known.
  coverage real not null,
  -- src/qos/timeline-bytes.ts; null for aggregations and where nothing was known.
  timeline bytea,
  run_id uuid not null,
  primary key (team_id, trial, day, node_id)
);
create index qos_figures_of_node on qos_figures (team_id, node_id, day) where trial = '00000000-0000-0000-0000-000000000000';
create index qos_figures_worst on qos_figures (team_id, trial, day, label, value);

-- What the figures of rules are made of.
create table qos_check_figures (
  team_id uuid not null references teams (id) on delete cascade,
  trial uuid not null default '00000000-0000-0000-0000-000000000000',
  day date not null,
  node_id integer not null,
  check_id uuid not null,
  -- Kept with it, so that a renamed or deleted check can still be told.
  check_name text not null,
  value double precision,
  coverage real not null,
  timeline bytea,
  points integer not null,
  -- Why nothing is known.
  failure text,
  run_id uuid not null,
  primary key (team_id, trial, day, node_id, check_id)
);

create table qos_label_figures (
  team_id uuid not null references teams (id) on delete cascade,
  trial uuid not null default '00000000-0000-0000-0000-000000000000',
  day date not null,
  label text not null,
  -- The query that it was computed with.
  query text not null,
  value double precision,
  coverage real not null,
  nodes integer not null,
  -- Among them those without a figure.
  unknown_nodes integer not null,
  run_id uuid not null,
  computed_at timestamptz not null,
  primary key (team_id, trial, label, day)
);

create table qos_objectives (
  team_id uuid not null references teams (id) on delete cascade,
  label text not null,
  -- Percent.
  target double precision not null,
  window_days integer not null,
  updated_at timestamptz not null default now(),
  primary key (team_id, label)
);
