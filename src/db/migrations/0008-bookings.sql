-- Writers of the release before go on while this is applied, and after it. Locked in the order in which imports write and
-- exports read, so that none of them waits crosswise.
lock table clients in share row exclusive mode;
lock table schedules, sessions in access exclusive mode;
lock table contracts, contract_entitlements in share row exclusive mode;

-- The schedule that this one took over from when a series was changed from some day on.
alter table schedules add continues_id uuid;

-- Of a session that was cancelled by the staff: the audit entry, and the seats without a name that come back with it.
alter table sessions
  add cancelled_by      uuid,
  add cancelled_unnamed integer not null default 0 check (cancelled_unnamed >= 0);

create table bookings (
  organization_id  uuid not null,
  id               uuid not null,
  session_id       uuid not null,
  client_id        uuid not null,
  -- What it draws on, or drew on; absent if it is uncovered.
  contract_id      uuid,
  entitlement_id   uuid,
  -- The date of the session on its own clock, by which visits are counted. Follows the session: see below.
  visit_date       date not null,
  state            text not null check (state in ('booked', 'attended', 'no_show', 'cancelled', 'late_cancelled')),
  uncovered_reason text,
  moved            boolean not null default false,
  to_tell          boolean not null default false,
  booked_at        timestamptz(3) not null,
  checked_in_at    timestamptz(3),
  ended_at         timestamptz(3),
  -- The audit entry of what ended it.
  ended_by         uuid,
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references sessions,
  foreign key (organization_id, client_id) references clients,
  foreign key (organization_id, contract_id) references contracts,
  -- An import deletes the entitlements of a contract and inserts them again.
  foreign key (organization_id, entitlement_id) references contract_entitlements (organization_id, id)
    deferrable initially deferred,
  check ((contract_id is null) = (entitlement_id is null)),
  check ((entitlement_id is null) = (uncovered_reason is not null)),
  check ((checked_in_at is not null) = (state = 'attended')),
  check ((ended_at is not null) = (state in ('cancelled', 'late_cancelled')))
);
create unique index bookings_once on bookings (organization_id, session_id, client_id)
  where state in ('booked', 'attended', 'no_show');
create index bookings_drawn on bookings (organization_id, entitlement_id, visit_date) where state <> 'cancelled';
create index bookings_by_client on bookings (organization_id, client_id, id);
create index bookings_by_session on bookings (organization_id, session_id, id);
create index bookings_by_contract on bookings (organization_id, contract_id, visit_date) where contract_id is not null;
create index bookings_by_entitlement on bookings (organization_id, entitlement_id) where entitlement_id is not null;
-- What is left to do at the front desk.
create index bookings_to_tell on bookings (organization_id, id) where to_tell;
create index bookings_uncovered on bookings (organization_id, visit_date, id)
  where entitlement_id is null and state <> 'cancelled';

create table waiting (
  organization_id uuid not null,
  id              uuid not null,
  session_id      uuid not null,
  client_id       uuid not null,
  joined_at       timestamptz(3) not null,
  left_at         timestamptz(3),
  -- What the place in the line became.
  booking_id      uuid,
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references sessions,
  foreign key (organization_id, client_id) references clients,
  foreign key (organization_id, booking_id) references bookings
);
create unique index waiting_once on waiting (organization_id, session_id, client_id) where left_at is null;
create index waiting_by_session on waiting (organization_id, session_id, id);
create index waiting_by_client on waiting (organization_id, client_id, id);
create index waiting_by_booking on waiting (organization_id, booking_id) where booking_id is not null;

create table resource_claims (
  organization_id uuid not null,
  session_id      uuid not null,
  resource_id     text not null,
  during          tstzrange not null,
  primary key (organization_id, session_id, resource_id),
  foreign key (organization_id, session_id) references sessions on delete cascade,
  constraint resource_claims_overlap exclude using gist (
    organization_id with =, resource_id with =, during with &&
  )
);

create index audit_by_session on audit (organization_id, session_id, id) where session_id is not null;

-- Whoever writes a session, nodes of the release before included, which know nothing of bookings: seats that have a name
-- stay counted, and a session is not cancelled while people are booked. Counted only when seats are taken away.
create or replace function keep_named_seats() returns trigger language plpgsql as $$
declare
  named integer;
begin
  select count(*) into named from bookings b
  where b.organization_id = new.organization_id and b.session_id = new.id
    and b.state in ('booked', 'attended', 'no_show');
  if named > 0 and new.status = 'cancelled' then
    raise exception 'session % has % bookings and cannot be cancelled without them', new.id, named
      using errcode = 'restrict_violation';
  end if;
  new.booked_count := greatest(new.booked_count, named);
  return new;
end $$;

create trigger sessions_keep_named_seats before update of booked_count, status on sessions
  for each row when (new.booked_count < old.booked_count or new.status <> old.status)
  execute function keep_named_seats();

-- And the days of bookings follow their session; a session that is cancelled or empty holds no resource.
create or replace function follow_session() returns trigger language plpgsql as $$
begin
  if new.start::date <> old.start::date then
    update bookings set visit_date = new.start::date
    where organization_id = new.organization_id and session_id = new.id;
  end if;
  if new.status = 'cancelled' or new.booked_count = 0 then
    delete from resource_claims where organization_id = new.organization_id and session_id = new.id;
  end if;
  return null;
end $$;

create trigger sessions_followed after update of start, booked_count, status on sessions
  for each row when (
    new.start::date <> old.start::date
    or new.status <> old.status
    or (new.booked_count = 0 and old.booked_count > 0)
  )
  execute function follow_session();
