-- Pauses of one contract do not overlap: an exclusion over ids and days.
create extension if not exists btree_gist;

alter table organizations
  -- The earliest instant at which the status of a contract may change by itself, or an earlier one.
  add due_at                 timestamptz(3),
  add cancel_window_minutes  integer  not null default 180 check (cancel_window_minutes between 0 and 10080),
  add check_in_opens_minutes integer  not null default 60  check (check_in_opens_minutes between 0 and 1440),
  -- As ISO 8601 counts: 1 is Monday, 7 is Sunday.
  add week_start             smallint not null default 1   check (week_start in (1, 7));

-- Which of the writes that catalog_version counts were to contracts or to stored sessions alone.
alter table organization_counters
  add contracts_version bigint not null default 0,
  add sessions_version  bigint not null default 0;

create table staff (
  organization_id uuid not null references organizations,
  id              uuid not null,
  name            text not null,
  email           text not null,
  -- The address as addresses are compared.
  email_key       text not null,
  role            text not null check (role in ('owner', 'manager', 'front_desk')),
  all_locations   boolean not null,
  status          text not null check (status in ('invited', 'active', 'removed')),
  password        text check (status <> 'active' or password is not null),
  created_at      timestamptz(3) not null,
  primary key (organization_id, id)
);
create unique index staff_email on staff (organization_id, email_key) where status <> 'removed';
-- Before the organization is known.
create index staff_by_email on staff (email_key) where status = 'active';

create table staff_locations (
  organization_id uuid not null,
  staff_id        uuid not null,
  location_id     uuid not null,
  primary key (organization_id, staff_id, location_id),
  foreign key (organization_id, staff_id) references staff on delete cascade,
  foreign key (organization_id, location_id) references locations
);
create index staff_locations_by_location on staff_locations (organization_id, location_id);

-- Links and sign-ins are found by their hash before the organization is known, like keys.
create table staff_links (
  id              uuid primary key,
  organization_id uuid not null,
  staff_id        uuid not null,
  hash            bytea not null unique check (length(hash) = 32),
  expires_at      timestamptz(3) not null,
  used_at         timestamptz(3),
  foreign key (organization_id, staff_id) references staff
);
create index staff_links_by_staff on staff_links (organization_id, staff_id);

create table sign_ins (
  id              uuid primary key,
  organization_id uuid not null,
  staff_id        uuid not null,
  hash            bytea not null unique check (length(hash) = 32),
  created_at      timestamptz(3) not null,
  seen_at         timestamptz(3) not null,
  -- When the password was last entered.
  fresh_at        timestamptz(3) not null,
  ended_at        timestamptz(3),
  foreign key (organization_id, staff_id) references staff
);
create index sign_ins_by_staff on sign_ins (organization_id, staff_id);

-- One trail for operators and staff. The request is stored with what it did, so that a repeat is answered and does nothing.
alter table audit
  add client_id    uuid,
  add contract_id  uuid,
  add session_id   uuid,
  add reason       text,
  add request_key  text,
  add request_hash bytea,
  add result       jsonb,
  add foreign key (organization_id, client_id) references clients;
create unique index audit_request on audit (organization_id, request_key) where request_key is not null;
create index audit_by_client on audit (organization_id, client_id, id) where client_id is not null;
create index audit_by_contract on audit (organization_id, contract_id, id) where contract_id is not null;

alter table contracts
  -- The agreement as it was when the contract was sold.
  add terms           text,
  -- What end_date would be without the cancellation.
  add agreed_end_date date,
  -- The audit entry of the cancellation, if it was made here.
  add cancelled_by    uuid,
  -- When the status may change next by itself; all changes before are carried out.
  add next_change_at  timestamptz(3),
  -- Grows when status, dates or pauses are written by a program that keeps next_change_at: see below.
  add course_revision integer not null default 0;
create index contracts_due on contracts (organization_id, next_change_at) where next_change_at is not null;

create table contract_pauses (
  organization_id uuid not null,
  id              uuid not null,
  contract_id     uuid not null,
  first_day       date not null,
  last_day        date check (last_day >= first_day),
  extends_term    boolean not null,
  primary key (organization_id, id),
  foreign key (organization_id, contract_id) references contracts on delete cascade,
  constraint contract_pauses_overlap exclude using gist (
    organization_id with =, contract_id with =, daterange(first_day, last_day, '[]') with &&
  )
);
create index contract_pauses_by_contract on contract_pauses (organization_id, contract_id);

-- Who was erased, when, by whom and on what basis. The marks are keyed hashes, by which a later question can be answered.
create table erasures (
  organization_id uuid not null,
  client_id       uuid not null,
  at              timestamptz(3) not null,
  actor           text not null,
  basis           text not null,
  document_mark   bytea,
  email_mark      bytea,
  primary key (organization_id, client_id),
  foreign key (organization_id, client_id) references clients
);

-- Nodes of the release before store contracts and know nothing of next_change_at. What they write counts as carried out
-- up to that moment, and as due: the next look at the organization computes what comes after.
create or replace function note_contract_course() returns trigger language plpgsql as $$
begin
  new.next_change_at := case when new.status in ('active', 'paused') then now() end;
  update organizations set due_at = now()
  where id = new.organization_id and new.next_change_at is not null and (due_at is null or due_at > now());
  return new;
end $$;

alter table contracts alter next_change_at set default '-infinity';
create trigger contracts_noted before insert on contracts
  for each row when (new.next_change_at = '-infinity') execute function note_contract_course();
create trigger contracts_noted_again before update of status, end_date, cancelled_at on contracts
  for each row when (
    new.course_revision = old.course_revision
    and (new.status, new.end_date, new.cancelled_at) is distinct from (old.status, old.end_date, old.cancelled_at)
  ) execute function note_contract_course();
