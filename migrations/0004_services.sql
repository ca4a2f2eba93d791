-- Who is alive. A beat writes one row, and nothing that is indexed changes with it, so that it stays within its page.
-- States are not stored: they follow from last_heartbeat and the clock (src/platform/services/service-state.ts).

create table services (
  id uuid primary key,
  type text not null collate "C",
  name text not null collate "C",
  -- The user whose token made it; null is Faultline itself. No reference: the worker that a server forks is no user.
  owner_id uuid,
  -- In these four '' is what the owner cleared, and null what was never said.
  url text,
  version text,
  region text,
  public_key text,
  -- json, not jsonb: kept as it came.
  metadata json,
  monitoring json,
  -- Null is the default, 90.
  ttl_seconds integer,
  registered_at timestamptz not null,
  last_heartbeat timestamptz not null,
  -- What was last told about it, and which beat was the last one then: without a newer one nothing can have come back.
  noted_state text not null default 'alive',
  noted_beat timestamptz,
  unique (type, name)
) with (fillfactor = 50);
create index services_of_owner on services (owner_id);
