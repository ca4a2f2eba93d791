import type { ColumnType, Generated } from 'kysely';

/** The tables as kysely sees them; `migrations/` is the truth, and a test compares the two. */
export type Tables = {
  revisions: { topic: string; revision: ColumnType<string, number | string, number | string> };
  users: {
    id: Generated<string>;
    name: string;
    is_admin: Generated<boolean>;
    is_disabled: Generated<boolean>;
    oidc_subject: string | null;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  tokens: {
    id: Generated<string>;
    user_id: string;
    name: string;
    prefix: string;
    hash: Buffer;
    scopes: string[];
    created_at: Generated<Date>;
    expires_at: Date | null;
    last_used_at: Date | null;
  };
  sessions: {
    id: Generated<string>;
    user_id: string;
    token_id: string | null;
    hash: Buffer;
    scopes: string[];
    created_at: Generated<Date>;
    expires_at: Date;
  };
  teams: { id: Generated<string>; name: string; created_at: Generated<Date>; updated_at: Generated<Date> };
  grants: { team_id: string; user_id: string; role: string };
  audit_log: {
    id: Generated<string>;
    at: Generated<Date>;
    actor_id: string | null;
    actor_name: string;
    action: string;
    target: string;
    team_id: string | null;
    details: ColumnType<Record<string, unknown>, string, never>;
    address: string | null;
    request_id: string | null;
  };
  news: {
    id: Generated<string>;
    title: string;
    message: string;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  news_reads: { user_id: string; news_id: string; read_at: Generated<Date> };
  services: {
    id: string;
    type: string;
    name: string;
    owner_id: string | null;
    url: string | null;
    version: string | null;
    region: string | null;
    public_key: string | null;
    metadata: Record<string, unknown> | null;
    monitoring: Record<string, unknown> | null;
    ttl_seconds: number | null;
    registered_at: Date;
    last_heartbeat: Date;
    noted_state: Generated<string>;
    noted_beat: Date | null;
  };
  graphs: {
    team_id: string;
    epoch: Generated<string>;
    version: Generated<string>;
    next_node_id: Generated<number>;
    next_relationship_id: Generated<number>;
  };
  nodes: {
    team_id: string;
    id: number;
    label: string;
    name: string;
    active_from: string | null;
    active_to: string | null;
  };
  relationships: { team_id: string; id: number; source_id: number; target_id: number; facts: string[] };
  graph_changes: { team_id: string; version: string; payload: Buffer };
  configs: {
    team_id: string;
    id: Generated<string>;
    number: number;
    config: ColumnType<Record<string, { qos: string }>, string, never>;
    created_at: Generated<Date>;
    created_by: string;
  };
  current_configs: { team_id: string; config_id: string; applied_at: Generated<Date> };
  integration_models: {
    name: string;
    is_disabled: Generated<boolean>;
    definition: ColumnType<object | null, string | null, string | null>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
  };
  integrations: {
    team_id: string;
    id: Generated<string>;
    name: string;
    model: string;
    config: ColumnType<Record<string, string | number | boolean>, string, string>;
    secrets: ColumnType<Record<string, string>, string, string>;
    created_at: Generated<Date>;
    updated_at: Generated<Date>;
    created_by: string;
  };
};
