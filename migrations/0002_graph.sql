-- One row per team that has a graph. `version` counts committed batches; the row is locked by whoever writes, so that a team has one
-- writer at a time and ids can simply be counted on. `epoch` tells apart two histories that share version numbers (a restored backup).
create table graphs (
  team_id uuid primary key references teams (id) on delete cascade,
  epoch uuid not null default gen_random_uuid(),
  version bigint not null default 0,
  next_node_id integer not null default 0,
  next_relationship_id integer not null default 0
);

-- No foreign keys below this line: they would be checked row by row in bulk loads. The writer resolves every id itself, under the
-- lock of the graph's row, and the trigger at the end clears up after a deleted team.
create table nodes (
  team_id uuid not null,
  id integer not null,
  label text not null collate "C",
  name text not null collate "C",
  active_from bigint,
  active_to bigint,
  primary key (team_id, id),
  unique (team_id, label, name)
);

-- source depends on target. What the messages said is kept in `facts` (src/graph/periods.ts); the periods follow from it.
create table relationships (
  team_id uuid not null,
  id integer not null,
  source_id integer not null,
  target_id integer not null,
  facts bigint[] not null,
  primary key (team_id, id),
  unique (team_id, source_id, target_id)
);

-- What each batch changed, for the read models of other processes. Old rows are dropped: who is further behind loads anew.
create table graph_changes (
  team_id uuid not null,
  version bigint not null,
  payload bytea not null,
  primary key (team_id, version)
);
-- The payload is dense already; compressing it again would cost more than it saves.
alter table graph_changes alter column payload set storage external;

create table configs (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  number integer not null,
  config jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (team_id, id),
  unique (team_id, number)
);

create table current_configs (
  team_id uuid primary key references teams (id) on delete cascade,
  config_id uuid not null,
  applied_at timestamptz not null default now(),
  foreign key (team_id, config_id) references configs (team_id, id)
);

create function delete_graph_rows() returns trigger language plpgsql as $$
begin
  delete from relationships where team_id = old.team_id;
  delete from nodes where team_id = old.team_id;
  delete from graph_changes where team_id = old.team_id;
  return old;
end
$$;
create trigger graphs_deleted after delete on graphs for each row execute function delete_graph_rows();
