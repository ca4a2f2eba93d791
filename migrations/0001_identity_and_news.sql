-- What caches watch: a change that must be seen by every process raises the revision of its topic, in its own transaction.
create table revisions (
  topic text primary key,
  revision bigint not null default 0
);
insert into revisions (topic) values ('identity'), ('news');

create table users (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  is_admin boolean not null default false,
  is_disabled boolean not null default false,
  oidc_subject text unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The token itself is never stored: `prefix` finds the row, `hash` (SHA-256 of the whole token) is compared in constant time.
create table tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  prefix text not null unique,
  hash bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz
);
create index tokens_user_id on tokens (user_id);

-- A session made from a token dies with that token.
create table sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references users (id) on delete cascade,
  token_id uuid references tokens (id) on delete cascade,
  hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_user_id on sessions (user_id);
create index sessions_token_id on sessions (token_id);
create index sessions_expires_at on sessions (expires_at);

create table teams (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table grants (
  team_id uuid not null references teams (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('member', 'editor', 'manager')),
  primary key (team_id, user_id)
);
create index grants_user_id on grants (user_id);

-- No foreign keys: the record outlives what it speaks of.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor_id uuid,
  actor_name text not null,
  action text not null,
  target text not null,
  team_id uuid,
  details jsonb not null default '{}',
  address text,
  request_id text
);

create table news (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  message text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index news_created_at on news (created_at desc, id);

create table news_reads (
  user_id uuid not null references users (id) on delete cascade,
  news_id uuid not null references news (id) on delete cascade,
  read_at timestamptz not null default now(),
  primary key (user_id, news_id)
);
create index news_reads_news_id on news_reads (news_id);
