create table organizations (
  id         uuid primary key,
  name       text not null,
  timezone   text not null,
  currency   text not null check (currency ~ '^[A-Z]{3}$'),
  tier       text not null check (tier in ('Free', 'Starter', 'Pro', 'Enterprise')),
  status     text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  joined_at  timestamptz(3) not null default now()
);

-- A key is looked up by its hash before the organization is known, so it is no tenant table: the hash alone
-- must be unique over all of them.
create table keys (
  id              uuid primary key,
  organization_id uuid not null references organizations,
  hash            bytea not null unique check (length(hash) = 32),
  name            text,
  created_at      timestamptz(3) not null default now(),
  expires_at      timestamptz(3),
  -- How long it was meant to live; a rotation shortens the one and hands the other on.
  lifetime        interval,
  revoked_at      timestamptz(3),
  last_used_at    timestamptz(3)
);
create index keys_by_organization on keys (organization_id, id);

-- The rate limit (GCRA): the theoretical arrival time, in nanoseconds since 1970. Unlogged: after a crash of
-- PostgreSQL every key starts with a full burst, and no request waits for the disk. Pages are left mostly
-- empty so that the constant updates stay within their page (HOT).
create unlogged table key_rates (
  key_id     uuid primary key,
  tat        bigint not null,
  granted    integer not null,
  checked_at bigint not null
) with (fillfactor = 20);

-- Exact totals without counting, and what a computed response depends on. Sixteen slots an organization, so
-- that concurrent writers rarely wait for each other; the truth is the sum over the slots.
create table organization_counters (
  organization_id        uuid not null references organizations,
  slot                   smallint not null check (slot between 0 and 15),
  catalog_version        bigint not null default 0,
  clients_version        bigint not null default 0,
  clients_active         bigint not null default 0,
  clients_archived       bigint not null default 0,
  contracts_active       bigint not null default 0,
  contracts_paused       bigint not null default 0,
  contracts_cancelled    bigint not null default 0,
  contracts_expired      bigint not null default 0,
  plans_active           bigint not null default 0,
  plans_archived         bigint not null default 0,
  service_types_active   bigint not null default 0,
  service_types_archived bigint not null default 0,
  primary key (organization_id, slot)
) with (fillfactor = 50);

-- What operators did. Kept when an organization is closed; holds no member's data and no secret.
create table audit (
  id              uuid primary key,
  organization_id uuid,
  at              timestamptz(3) not null default now(),
  actor           text not null,
  action          text not null,
  subject         text,
  details         jsonb not null default '{}'
);
create index audit_by_organization on audit (organization_id, id);
