-- The versions of an organization's data are moved by the database: whatever the change feed notes moves the version of its
-- class, whoever writes. See docs/decisions/versions.md.

-- Runs at the commit, once a transaction and organization, for all classes that were written to by then. It takes a row
-- of counters that nobody else holds, so that writers do not wait for each other here, and no two can deadlock.
create or replace function move_versions() returns trigger language plpgsql as $$
declare
  claimed text := current_setting('rollbook.moved', true);
  catalog integer := (strpos(claimed, new.organization_id || ' catalog ') > 0)::integer;
  clients integer := (strpos(claimed, new.organization_id || ' client ') > 0)::integer;
  contracts integer := (strpos(claimed, new.organization_id || ' contract ') > 0)::integer;
  sessions integer := (strpos(claimed, new.organization_id || ' session ') > 0)::integer;
  own smallint := pg_current_xact_id()::text::bigint % 16;
  free smallint;
begin
  select c.slot into free from organization_counters c
  where c.organization_id = new.organization_id and c.slot = own for no key update skip locked;
  if free is null then
    select c.slot into free from organization_counters c
    where c.organization_id = new.organization_id limit 1 for no key update skip locked;
  end if;
  update organization_counters set
    catalog_version = catalog_version + catalog + contracts + sessions, clients_version = clients_version + clients,
    contracts_version = contracts_version + contracts, sessions_version = sessions_version + sessions
  where organization_id = new.organization_id and slot = coalesce(free, own);
  return null;
end $$;

-- Remembers for the transaction that it has written to a class; true for the first one of an organization.
create or replace function claim_version(organization_id uuid, kind text) returns boolean language plpgsql as $$
declare
  claimed text := coalesce(current_setting('rollbook.moved', true), '');
  claim text := organization_id || case
    when kind in ('client', 'contract', 'session') then ' ' || kind || ' ' else ' catalog ' end;
begin
  if strpos(claimed, claim) > 0 then
    return false;
  end if;
  perform set_config('rollbook.moved', claimed || claim, true);
  return strpos(claimed, organization_id::text) = 0;
end $$;

create constraint trigger change_log_moves_versions after insert on change_log
  deferrable initially deferred for each row when (claim_version(new.organization_id, new.kind))
  execute function move_versions();

-- Pauses are shown with their contract, and were the only such table that the feed did not know.
create or replace function note_contract_pauses() returns trigger language plpgsql as $$
begin
  perform remember_first_note();
  insert into change_log (organization_id, kind, record_id, type, reason)
  select w.organization_id, 'contract', w.contract_id::text, 'updated',
    nullif(current_setting('rollbook.reason', true), '')::jsonb
  from (select distinct organization_id, contract_id from written) w
  where not exists (
    select from change_log l
    where l.organization_id = w.organization_id and l.kind = 'contract' and l.record_id = w.contract_id::text
      and l.id >= current_setting('rollbook.first_note')::bigint and l.xact = pg_current_xact_id()
  );
  return null;
end $$;
create trigger contract_pauses_feed_insert after insert on contract_pauses referencing new table as written
  for each statement execute function note_contract_pauses();
create trigger contract_pauses_feed_update after update on contract_pauses referencing new table as written
  for each statement execute function note_contract_pauses();
create trigger contract_pauses_feed_delete after delete on contract_pauses referencing old table as written
  for each statement execute function note_contract_pauses();
