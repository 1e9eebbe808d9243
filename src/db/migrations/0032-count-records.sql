-- Whoever numbers changes counts the records that they add and take away, also a node of the release before.
create or replace function count_records() returns trigger language plpgsql as $$
declare
  part record;
begin
  for part in
    select n.organization_id as id, sum(case n.type when 'created' then 1 else -1 end) as added
    from numbered n
    where n.type <> 'updated' and n.kind <> 'organization'
      -- What is copied has been counted where it was written.
      and n.organization_id::text <> coalesce(current_setting('rollbook.copied', true), '')
    group by n.organization_id
  loop
    update organization_counters set records = records + part.added
    where organization_id = part.id and slot = coalesce((
      select c.slot from organization_counters c where c.organization_id = part.id limit 1 for no key update skip locked
    ), 0);
  end loop;
  return null;
end $$;

-- From here to the commit nobody numbers, so what is counted once and what the trigger counts meet without a gap.
create trigger changes_count_records after insert on changes
  referencing new table as numbered for each statement execute function count_records();

update organization_counters c set records = stored.records
from (
  select part.organization_id, sum(part.records) as records
  from (
    select organization_id, count(*) as records from locations group by 1
    union all select organization_id, count(*) from resources group by 1
    union all select organization_id, count(*) from service_types group by 1
    union all select organization_id, count(*) from service_groups group by 1
    union all select organization_id, count(*) from plans group by 1
    union all select organization_id, count(*) from clients group by 1
    union all select organization_id, count(*) from contracts group by 1
    union all select organization_id, count(*) from schedules group by 1
    union all select organization_id, count(*) from sessions group by 1
    union all select organization_id, -sum(case type when 'created' then 1 else -1 end)
      from change_log where type <> 'updated' and kind <> 'organization' group by 1
  ) part
  group by 1
) stored
where c.organization_id = stored.organization_id and c.slot = 0;
