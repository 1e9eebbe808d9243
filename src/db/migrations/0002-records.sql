create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table locations (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  address         text,
  status          text not null check (status in ('active', 'closed')),
  timezone        text not null,
  created_at      timestamptz(3) not null default now(),
  primary key (organization_id, id)
);

create table service_types (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  description     text,
  holds_resource  boolean not null,
  status          text not null check (status in ('active', 'archived')),
  search          text not null,
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
create index service_types_by_status on service_types (organization_id, status, id);

create table service_groups (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  primary key (organization_id, id)
);

create table service_group_members (
  organization_id  uuid not null,
  service_group_id uuid not null,
  service_type_id  uuid not null,
  primary key (organization_id, service_group_id, service_type_id),
  foreign key (organization_id, service_group_id) references service_groups on delete cascade,
  foreign key (organization_id, service_type_id) references service_types on delete cascade
);
create index service_group_members_by_type on service_group_members (organization_id, service_type_id);

create table plans (
  organization_id  uuid not null references organizations,
  id               uuid not null,
  name             text not null,
  status           text not null check (status in ('active', 'archived')),
  billing_kind     text not null check (billing_kind in ('recurring', 'one_time')),
  billing_interval text check (billing_interval in ('week', 'month', 'quarter', 'year')),
  duration_count   integer check (duration_count > 0),
  duration_unit    text check (duration_unit in ('day', 'week', 'month', 'year')),
  price_cents      bigint not null check (price_cents between 0 and 9007199254740991),
  currency         text not null,
  is_trial         boolean not null,
  all_locations    boolean not null,
  terms            text,
  search           text not null,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (organization_id, id),
  check (billing_interval is null or billing_kind = 'recurring'),
  check ((duration_count is null) = (duration_unit is null))
);
create index plans_by_status on plans (organization_id, status, id);

create table plan_locations (
  organization_id uuid not null,
  plan_id         uuid not null,
  location_id     uuid not null,
  primary key (organization_id, plan_id, location_id),
  foreign key (organization_id, plan_id) references plans on delete cascade,
  foreign key (organization_id, location_id) references locations
);
create index plan_locations_by_location on plan_locations (organization_id, location_id);

create table plan_entitlements (
  organization_id       uuid not null,
  plan_id               uuid not null,
  position              smallint not null,
  type                  text not null check (type in ('access', 'credits')),
  period                text check (period in ('day', 'week', 'month')),
  max_visits_per_period integer check (max_visits_per_period >= 0),
  credit_quantity       integer check (credit_quantity >= 0),
  service_type_id       uuid,
  service_group_id      uuid,
  primary key (organization_id, plan_id, position),
  foreign key (organization_id, plan_id) references plans on delete cascade,
  foreign key (organization_id, service_type_id) references service_types,
  foreign key (organization_id, service_group_id) references service_groups,
  check (credit_quantity is null or type = 'credits'),
  check (max_visits_per_period is null or type = 'access')
);
create index plan_entitlements_by_type on plan_entitlements (organization_id, service_type_id);
create index plan_entitlements_by_group on plan_entitlements (organization_id, service_group_id);

create table clients (
  organization_id   uuid not null references organizations,
  id                uuid not null,
  status            text not null check (status in ('active', 'archived')),
  contact_name      text not null,
  contact_email     text,
  contact_phone     text,
  birthdate         date,
  city              text,
  country           text,
  line1             text,
  line2             text,
  postal_code       text,
  state             text,
  id_document_type  text check (id_document_type in ('cpf', 'other')),
  id_document_value text,
  -- The value as documents are compared: case folded by us, so that no database locale has a say.
  id_document_key   text,
  notes             text,
  -- What `query` searches: see clients/rules.ts.
  search            text not null,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (organization_id, id),
  constraint clients_id_document unique (organization_id, id_document_type, id_document_key),
  check ((id_document_type is null) = (id_document_value is null)),
  check ((id_document_type is null) = (id_document_key is null))
);
create index clients_by_status on clients (organization_id, status, id);
create index clients_search on clients using gin (organization_id, search gin_trgm_ops);

create table client_locations (
  organization_id uuid not null,
  client_id       uuid not null,
  location_id     uuid not null,
  primary key (organization_id, client_id, location_id),
  foreign key (organization_id, client_id) references clients on delete cascade,
  foreign key (organization_id, location_id) references locations
);
create index client_locations_by_location on client_locations (organization_id, location_id, client_id);

create table contracts (
  organization_id    uuid not null references organizations,
  id                 uuid not null,
  client_id          uuid not null,
  plan_id            uuid,
  plan_name          text not null,
  price_cents        bigint not null check (price_cents between 0 and 9007199254740991),
  currency           text not null,
  is_trial           boolean not null,
  billing_kind       text not null check (billing_kind in ('recurring', 'one_time')),
  billing_interval   text check (billing_interval in ('week', 'month', 'quarter', 'year')),
  start_date         date not null,
  end_date           date check (end_date >= start_date),
  status             text not null check (status in ('active', 'paused', 'cancelled', 'expired')),
  access_blocked     boolean not null,
  all_locations      boolean not null,
  cancelled_at       timestamptz(3),
  terms_response     text check (terms_response in ('accepted', 'declined')),
  terms_responded_at timestamptz(3),
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, client_id) references clients,
  -- The snapshot on the contract outlives the plan it was sold from.
  foreign key (organization_id, plan_id) references plans on delete set null (plan_id)
);
create index contracts_by_status on contracts (organization_id, status, id);
create index contracts_by_client on contracts (organization_id, client_id, id);
create index contracts_by_plan on contracts (organization_id, plan_id);
create index contracts_everywhere on contracts (organization_id, id) where all_locations;

create table contract_locations (
  organization_id uuid not null,
  contract_id     uuid not null,
  location_id     uuid not null,
  primary key (organization_id, contract_id, location_id),
  foreign key (organization_id, contract_id) references contracts on delete cascade,
  foreign key (organization_id, location_id) references locations
);
create index contract_locations_by_location on contract_locations (organization_id, location_id, contract_id);

create table contract_entitlements (
  organization_id       uuid not null,
  contract_id           uuid not null,
  position              smallint not null,
  id                    uuid not null,
  type                  text not null check (type in ('access', 'credits')),
  period                text check (period in ('day', 'week', 'month')),
  max_visits_per_period integer check (max_visits_per_period >= 0),
  remaining_credits     integer check (remaining_credits >= 0),
  service_type_id       uuid,
  service_group_id      uuid,
  revoked_at            timestamptz(3),
  primary key (organization_id, contract_id, position),
  unique (organization_id, id),
  foreign key (organization_id, contract_id) references contracts on delete cascade,
  foreign key (organization_id, service_type_id) references service_types,
  foreign key (organization_id, service_group_id) references service_groups,
  check (remaining_credits is null or type = 'credits')
);
create index contract_entitlements_by_type on contract_entitlements (organization_id, service_type_id);
create index contract_entitlements_by_group on contract_entitlements (organization_id, service_group_id);
