-- Wall clocks are `timestamp`: the location's clock is what was agreed with people, instants follow from it.
create table schedules (
  organization_id  uuid not null references organizations,
  id               uuid not null,
  service_type_id  uuid not null,
  location_id      uuid not null,
  resource_ids     text[] not null default '{}',
  start            timestamp(0) not null,
  duration_minutes integer not null check (duration_minutes > 0),
  rrule            text,
  exdates          timestamp(0)[] not null default '{}',
  rdates           timestamp(0)[] not null default '{}',
  capacity         integer not null check (capacity >= 0),
  -- Computed when the schedule is stored (calendar/schedule.ts), so that a read costs its window and not the
  -- age of the schedule. Before the first and after the last slot there is nothing, extra dates included; no
  -- last slot means without end. The counted slot is the one that a rule's COUNT ends with.
  first_slot       timestamp(0) not null,
  last_slot        timestamp(0),
  counted_slot     timestamp(0),
  primary key (organization_id, id),
  foreign key (organization_id, service_type_id) references service_types,
  foreign key (organization_id, location_id) references locations
);
create index schedules_by_location on schedules (organization_id, location_id);
create index schedules_by_service_type on schedules (organization_id, service_type_id);

create table sessions (
  organization_id  uuid not null references organizations,
  id               uuid not null,
  schedule_id      uuid,
  -- The slot this session stands for, as the schedule's wall clock says it.
  original_start   timestamp(0),
  service_type_id  uuid not null,
  location_id      uuid not null,
  resource_ids     text[] not null default '{}',
  start            timestamp(0) not null,
  -- Follows from `start` and the location's zone; computed again when the time-zone data changes.
  start_at         timestamptz(3) not null,
  duration_minutes integer not null check (duration_minutes > 0),
  capacity         integer not null check (capacity >= 0),
  booked_count     integer not null check (booked_count >= 0),
  status           text not null check (status in ('scheduled', 'cancelled')),
  primary key (organization_id, id),
  unique (organization_id, schedule_id, original_start),
  foreign key (organization_id, schedule_id) references schedules,
  foreign key (organization_id, service_type_id) references service_types,
  foreign key (organization_id, location_id) references locations,
  check ((schedule_id is null) = (original_start is null))
);
create index sessions_by_start on sessions (organization_id, start_at);
create index sessions_by_slot on sessions (organization_id, original_start) where schedule_id is not null;
create index sessions_by_location on sessions (organization_id, location_id);
create index sessions_by_service_type on sessions (organization_id, service_type_id);

-- Facts about the stored data that are not rows of it: the time-zone data that instants were computed with.
create table facts (
  name  text primary key,
  value text not null
);
