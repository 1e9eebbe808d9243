-- Links to calendars, each opened by a token of which only the keyed hash is stored. Like a key it is looked up before the
-- organization is known, so the hash alone must be unique over all of them.
create table ics_links (
  organization_id uuid not null references organizations,
  id              uuid not null,
  hash            bytea not null unique check (length(hash) = 32),
  -- What it is called where links are managed; the calendar of one client does not bear it.
  name            text,
  -- Whose bookings it shows; absent: the timetable.
  client_id       uuid,
  -- What it is limited to.
  location_id     uuid,
  service_type_id uuid,
  resource        text,
  past_days       smallint not null check (past_days between 0 and 366),
  ahead_days      smallint not null check (ahead_days between 0 and 366),
  language        text not null check (language in ('en', 'pt-BR', 'es')),
  show_seats      boolean not null,
  created_at      timestamptz(3) not null,
  expires_at      timestamptz(3),
  -- How long it was meant to live; a rotation shortens the one and hands the other on.
  lifetime        interval,
  revoked_at      timestamptz(3),
  -- To the minute.
  last_fetched_at timestamptz(3),
  -- The last day that was shown when there were too many events for the whole window.
  shown_until     date,
  primary key (organization_id, id),
  foreign key (organization_id, client_id) references clients on delete cascade,
  foreign key (organization_id, location_id) references locations on delete cascade,
  foreign key (organization_id, service_type_id) references service_types on delete cascade,
  foreign key (organization_id, resource) references resources on delete cascade
);
create index ics_links_by_client on ics_links (organization_id, client_id) where client_id is not null;
create index ics_links_by_location on ics_links (organization_id, location_id) where location_id is not null;
create index ics_links_by_service_type on ics_links (organization_id, service_type_id) where service_type_id is not null;
create index ics_links_by_resource on ics_links (organization_id, resource) where resource is not null;

-- Of an erased client nothing is kept. By a trigger, so that it also holds when a node of the release before erases.
create or replace function forget_calendar_links() returns trigger language plpgsql as $$
begin
  delete from ics_links where organization_id = new.organization_id and client_id = new.client_id;
  return null;
end $$;

create trigger erasures_forget_calendar_links after insert on erasures
  for each row execute function forget_calendar_links();
