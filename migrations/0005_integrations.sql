-- Models that administrators added, and for built-in ones (definition is null: the code has it) whether they are switched off.
-- json, not jsonb: the order of keys is the order in which forms show them.
create table integration_models (
  name text primary key,
  is_disabled boolean not null default false,
  definition json,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- A model with a team's configuration. Passwords stand in `secrets`, each encrypted (src/platform/secrets.ts), never in `config`.
create table integrations (
  team_id uuid not null references teams (id) on delete cascade,
  id uuid not null default gen_random_uuid(),
  name text not null,
  model text not null,
  config json not null,
  secrets json not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_by text not null,
  primary key (team_id, id),
  unique (team_id, name)
);
create index integrations_by_model on integrations (model);
