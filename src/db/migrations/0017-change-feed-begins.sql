-- The feed begins with every record there is, kind by kind and by id. The triggers of the migration before are committed:
-- what is written meanwhile is noted, and gets its number after these.
insert into change_heads (organization_id, sequence, timeline, mark)
select id, 0, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), substring(uuid_send(gen_random_uuid()) for 8)
from organizations on conflict do nothing;

insert into changes (organization_id, sequence, kind, record_id, type, at)
select organization_id, row_number() over (partition by organization_id order by place, id), kind, id, 'created', now()
from (
  select 1 as place, 'organization' as kind, id as organization_id, id::text collate "C" as id from organizations
  union all select 2, 'location', organization_id, id::text from locations
  union all select 3, 'resource', organization_id, id from resources
  union all select 4, 'serviceGroup', organization_id, id::text from service_groups
  union all select 5, 'serviceType', organization_id, id::text from service_types
  union all select 6, 'plan', organization_id, id::text from plans
  union all select 7, 'client', organization_id, id::text from clients
  union all select 8, 'contract', organization_id, id::text from contracts
  union all select 9, 'schedule', organization_id, id::text from schedules
  union all select 10, 'session', organization_id, id::text from sessions
) as records;

update change_heads h set sequence = n.last
from (select organization_id, max(sequence) as last from changes group by 1) n
where h.organization_id = n.organization_id;

-- So that an organization can be moved by logical replication with a row filter, each table of a tenant is known there by
-- something that begins with its organization: the primary key, or these.
create unique index keys_of_organization on keys (organization_id, id);
alter table keys replica identity using index keys_of_organization;
create unique index staff_links_of_organization on staff_links (organization_id, id);
alter table staff_links replica identity using index staff_links_of_organization;
create unique index sign_ins_of_organization on sign_ins (organization_id, id);
alter table sign_ins replica identity using index sign_ins_of_organization;
-- Entries of the whole server have no organization.
alter table audit replica identity full;
