-- Writers of the release before go on meanwhile. Locked in the order in which they write, the audit entry last, so that none
-- of them and this one wait for each other.
lock table organizations, staff, bookings, audit in share row exclusive mode;

-- The console shows more than the versions of the API's data cover: bookings, attendance, staff, settings. Every write to
-- that is one audit entry, so entries are counted, and changes of colleagues who set up their account themselves.
-- The largest id of the trail would not do: a transaction with an earlier one may commit later. It is not in backups, and so
-- refers to nothing that is: a restored database has another history, which the versions are told apart by.
create table staff_versions (
  organization_id uuid not null,
  slot            smallint not null check (slot between 0 and 15),
  version         bigint not null,
  primary key (organization_id, slot)
) with (fillfactor = 50);

-- By a trigger, so that writes of nodes of the release before count too. It runs at the commit and touches one row: no
-- lock is taken after this one, so no two writes wait for each other crosswise.
create or replace function move_staff_version() returns trigger language plpgsql as $$
begin
  insert into staff_versions as v (organization_id, slot, version)
  values (new.organization_id, pg_current_xact_id()::text::bigint % 16, 1)
  on conflict (organization_id, slot) do update set version = v.version + 1;
  return null;
end $$;

create constraint trigger audit_moves_staff_version after insert on audit
  deferrable initially deferred for each row when (new.organization_id is not null)
  execute function move_staff_version();
create constraint trigger staff_moves_staff_version
  after insert or update of name, email, role, all_locations, status on staff
  deferrable initially deferred for each row execute function move_staff_version();

-- Attendance by weeks.
create index bookings_by_day on bookings (organization_id, visit_date, state);

-- How many requests came with each key, by days of the organization's timezone. Added to about once a minute.
create table key_usage (
  organization_id uuid not null references organizations,
  day             date not null,
  key_id          uuid not null,
  requests        bigint not null check (requests >= 0),
  -- Of those, the ones that were refused for the rate, or because the organization may not use the API.
  refused         bigint not null check (refused between 0 and requests),
  primary key (organization_id, day, key_id)
);
