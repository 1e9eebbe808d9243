-- Writers of the release before go on while this is applied, and after it. Locked in the order in which imports write, so
-- that none of them waits crosswise; from here to the commit nobody can name a resource that is not noted below.
lock table clients, schedules, sessions, contracts in share row exclusive mode;

-- For `updatedSince`: which records were changed at or after an instant is a range of these.
create index clients_by_update on clients (organization_id, updated_at, id);
create index contracts_by_update on contracts (organization_id, updated_at, id);

-- Who or what runs a session. The id is the text that schedules and sessions name it by.
create table resources (
  organization_id uuid not null references organizations,
  id              text not null,
  name            text not null,
  kind            text not null check (kind in ('person', 'room', 'equipment')),
  status          text not null check (status in ('active', 'archived')),
  primary key (organization_id, id)
);

-- Whatever names a resource makes its row: by a trigger, because a server of the release before does not know of it.
-- Who writes schedules and sessions moves the version of the catalog anyway, which covers this table as well.
create or replace function note_named_resources() returns trigger language plpgsql as $$
begin
  insert into resources (organization_id, id, name, kind, status)
  select distinct w.organization_id, named.id, named.id, 'person', 'active'
  from written w cross join lateral unnest(w.resource_ids) as named (id)
  where not exists (select from resources r where r.organization_id = w.organization_id and r.id = named.id)
  order by 1, 2
  on conflict do nothing;
  return null;
end $$;

create trigger resources_of_new_schedules after insert on schedules
  referencing new table as written for each statement execute function note_named_resources();
create trigger resources_of_changed_schedules after update on schedules
  referencing new table as written for each statement execute function note_named_resources();
create trigger resources_of_new_sessions after insert on sessions
  referencing new table as written for each statement execute function note_named_resources();
create trigger resources_of_changed_sessions after update on sessions
  referencing new table as written for each statement execute function note_named_resources();

insert into resources (organization_id, id, name, kind, status)
select s.organization_id, named.id, named.id, 'person', 'active'
from (
  select organization_id, resource_ids from schedules
  union
  select organization_id, resource_ids from sessions
) s
cross join lateral unnest(s.resource_ids) as named (id)
group by s.organization_id, named.id;
