-- Who gets told. Sources insert deliveries in the transaction of what they tell about; every API process sends what is due, under leases.

create table notification_channels (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null default gen_random_uuid() unique,
  name text not null,
  type text not null,
  -- What may be seen, and beside it what is sealed (field: sealed text).
  settings jsonb not null,
  secrets jsonb not null,
  filters jsonb not null,
  on_success text not null,
  on_failure text not null,
  on_start text not null,
  is_enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (team_id, id),
  unique (team_id, name)
);

-- pending ─▶ sent      attempts are counted when they begin; next_attempt_at of a delivery that somebody sends is when its lease ends
--    └────▶ failed
create table notification_deliveries (
  -- Grows, so that pages can be cut by it; people and receivers know the delivery by its id.
  number bigint generated always as identity primary key,
  id uuid not null default gen_random_uuid() unique,
  team_id uuid not null,
  channel_id uuid not null,
  event text not null,
  -- Names the event itself: a source that comes by twice tells a channel once.
  event_key text not null,
  content jsonb not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  is_leased boolean not null default false,
  last_error text,
  response_status integer,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (channel_id, event_key),
  foreign key (team_id, channel_id) references notification_channels (team_id, id) on delete cascade
);
create index notification_deliveries_due on notification_deliveries (next_attempt_at) where state = 'pending';
create index notification_deliveries_of_team on notification_deliveries (team_id, number);
create index notification_deliveries_of_channel on notification_deliveries (channel_id, number);
create index notification_deliveries_finished on notification_deliveries (finished_at) where finished_at is not null;

-- Up to where workflow_events have been told. Whoever holds the row reads on; the others pass by.
create table notification_cursors (
  source text primary key,
  xid xid8 not null,
  id bigint not null
);
insert into notification_cursors (source, xid, id)
select 'workflows', coalesce(max(e.xid), '0'::xid8), coalesce(max(e.id), 0)
from (select xid, id from workflow_events where xid < pg_snapshot_xmin(pg_current_snapshot()) order by xid desc, id desc limit 1) e;

-- How each workflow ended last, for `change`: kept here because instances are deleted when they are old.
create table notification_states (
  subject text primary key collate "C",
  status text not null
);
insert into notification_states (subject, status)
select distinct on (project, name) 'workflow ' || project || '.' || name, status
from workflow_instances where status in ('success', 'error') order by project, name, finished_at desc, id desc;
