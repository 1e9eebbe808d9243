-- What has changed, noted in the transaction of the write by triggers: no writer can forget it, not a node of the release
-- before, not a statement written by hand. See docs/decisions/change-feed.md.
create table change_log (
  organization_id uuid not null,
  id              bigint not null generated always as identity,
  kind            text not null,
  record_id       text collate "C" not null,
  type            text not null check (type in ('created', 'updated', 'deleted')),
  at              timestamptz(3) not null default now(),
  -- Whose change it was: what the transaction said of itself in the setting rollbook.reason.
  reason          jsonb,
  -- The transaction, by which rows of a record's lists see that the record is noted already.
  xact            xid8 not null default pg_current_xact_id(),
  primary key (organization_id, id)
)
-- It is emptied as fast as it fills: what is dead is removed by its number, however large the table was.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000);

-- The feed: what was noted and committed, numbered by whoever reads.
create table changes (
  organization_id uuid not null,
  sequence        bigint not null,
  kind            text not null,
  record_id       text collate "C" not null,
  type            text not null check (type in ('created', 'updated', 'deleted')),
  at              timestamptz(3) not null,
  reason          jsonb,
  primary key (organization_id, sequence)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create index changes_by_kind on changes (organization_id, kind, sequence);
create index changes_by_record on changes (organization_id, kind, record_id, sequence);

create table change_heads (
  organization_id   uuid primary key,
  -- The highest number that was given.
  sequence          bigint not null,
  -- PostgreSQL's timeline when it was given, and a random name for it: two standbys that are promoted from one timeline
  -- have the same number.
  timeline          text not null,
  mark              bytea not null check (length(mark) = 8),
  -- What the numbers were raised to by the last restore; all numbers given since are above.
  restored_sequence bigint not null default 0
) with (fillfactor = 50);

-- The timelines before, each with the last number that was given on it and is still known.
create table change_timelines (
  organization_id uuid not null,
  mark            bytea not null check (length(mark) = 8),
  last_sequence   bigint not null,
  primary key (organization_id, mark)
);

-- Writers of the release before go on while this is applied, and after it. Locked in the order in which they write.
lock table organizations, locations, resources, service_types, service_groups, service_group_members, plans,
  plan_locations, plan_entitlements, clients, client_locations, contracts, contract_locations, contract_entitlements,
  schedules, sessions in share row exclusive mode;

-- Remembers the first id that this transaction draws, so that what it has noted is found without reading what others have.
create or replace function remember_first_note() returns void language plpgsql as $$
begin
  if coalesce(current_setting('rollbook.first_note', true), '') = '' then
    perform set_config('rollbook.first_note', nextval(pg_get_serial_sequence('change_log', 'id'))::text, true);
  end if;
end $$;

-- New records, all of a statement at once. A statement that stores for several requests says whose each record is in
-- rollbook.reasons: an object by record id.
create or replace function note_created() returns trigger language plpgsql as $$
declare
  reason jsonb := nullif(current_setting('rollbook.reason', true), '');
  reasons jsonb := nullif(current_setting('rollbook.reasons', true), '');
begin
  perform remember_first_note();
  insert into change_log (organization_id, kind, record_id, type, reason)
  select w.organization_id, tg_argv[0], w.id::text, 'created', coalesce(reasons -> w.id::text, reason)
  from written w;
  return null;
end $$;

create or replace function note_changed() returns trigger language plpgsql as $$
begin
  perform remember_first_note();
  if tg_op = 'UPDATE' then
    insert into change_log (organization_id, kind, record_id, type, reason)
    values (new.organization_id, tg_argv[0], new.id, 'updated', nullif(current_setting('rollbook.reason', true), '')::jsonb);
  else
    insert into change_log (organization_id, kind, record_id, type, reason)
    values (old.organization_id, tg_argv[0], old.id, 'deleted', nullif(current_setting('rollbook.reason', true), '')::jsonb);
  end if;
  return null;
end $$;

create or replace function note_organization() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into change_heads (organization_id, sequence, timeline, mark)
    values (new.id, 0, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), substring(uuid_send(gen_random_uuid()) for 8))
    on conflict do nothing;
  end if;
  perform remember_first_note();
  insert into change_log (organization_id, kind, record_id, type, reason)
  values (
    coalesce(new.id, old.id), 'organization', coalesce(new.id, old.id),
    case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'updated' else 'deleted' end,
    nullif(current_setting('rollbook.reason', true), '')::jsonb
  );
  return null;
end $$;

create trigger organizations_feed_insert after insert on organizations
  for each row execute function note_organization();
create trigger organizations_feed_delete after delete on organizations
  for each row execute function note_organization();
-- By what the API shows of it: due_at moves with every contract.
create trigger organizations_feed_update after update on organizations for each row when (
  (old.name, old.timezone, old.currency, old.tier, old.status, old.joined_at)
    is distinct from (new.name, new.timezone, new.currency, new.tier, new.status, new.joined_at)
) execute function note_organization();

-- An update by what the API shows of the record: when a contract is looked at again, for example, is no change of it.
do $$
declare
  noted record;
  shown text;
begin
  for noted in
    select * from (values
      ('locations', 'location', '{}'::name[]), ('resources', 'resource', '{}'), ('service_types', 'serviceType', '{}'),
      ('service_groups', 'serviceGroup', '{}'), ('plans', 'plan', '{}'), ('clients', 'client', '{}'),
      ('contracts', 'contract', '{next_change_at,course_revision,cancelled_by,agreed_end_date}'),
      ('schedules', 'schedule', '{continues_id}'), ('sessions', 'session', '{cancelled_by,cancelled_unnamed}')
    ) as t (name, kind, unshown)
  loop
    select format(
      '(%s) is distinct from (%s)',
      string_agg(format('old.%I', attname), ', ' order by attnum), string_agg(format('new.%I', attname), ', ' order by attnum)
    ) into shown
    from pg_attribute
    where attrelid = noted.name::regclass and attnum > 0 and not attisdropped and attname <> all (noted.unshown);
    execute format(
      'create trigger %1$s_feed_insert after insert on %1$s referencing new table as written
         for each statement execute function note_created(%2$L)', noted.name, noted.kind);
    execute format(
      'create trigger %1$s_feed_update after update on %1$s for each row when (%3$s) execute function note_changed(%2$L)',
      noted.name, noted.kind, case noted.unshown when '{}' then 'old.* is distinct from new.*' else shown end);
    execute format(
      'create trigger %1$s_feed_delete after delete on %1$s for each row execute function note_changed(%2$L)',
      noted.name, noted.kind);
  end loop;
end $$;

-- The lists of a record are rows of other tables. They note the record, unless this transaction has noted it already.
do $$
declare
  list record;
begin
  for list in
    select * from (values
      ('service_group_members', 'service_group_id', 'serviceGroup'),
      ('plan_locations', 'plan_id', 'plan'), ('plan_entitlements', 'plan_id', 'plan'),
      ('client_locations', 'client_id', 'client'),
      ('contract_locations', 'contract_id', 'contract'), ('contract_entitlements', 'contract_id', 'contract')
    ) as t (name, owner, kind)
  loop
    execute format($function$
      create or replace function note_%1$s() returns trigger language plpgsql as $body$
      declare
        first_note bigint := coalesce(nullif(current_setting('rollbook.first_note', true), '')::bigint, 9223372036854775807);
        reason jsonb := nullif(current_setting('rollbook.reason', true), '');
        owners text[];
        organizations uuid[];
      begin
        if tg_op = 'UPDATE' then
          select array_agg(distinct d.%2$s::text), array_agg(distinct d.organization_id) into owners, organizations
          from (
            (select * from written except select * from was) union all (select * from was except select * from written)
          ) d;
        else
          select array_agg(distinct w.%2$s::text), array_agg(distinct w.organization_id) into owners, organizations
          from written w;
        end if;
        if owners is null then
          return null;
        end if;
        perform remember_first_note();
        -- One organization but for statements written by hand, which may note a record too many.
        insert into change_log (organization_id, kind, record_id, type, reason)
        select n.organization_id, %3$L, n.record_id, 'updated', reason
        from (
          select o.id as organization_id, w.id as record_id from unnest(organizations) o (id), unnest(owners) w (id)
          except
          select l.organization_id, l.record_id from change_log l
          where l.organization_id = any (organizations) and l.id >= first_note
            and l.kind = %3$L and l.xact = pg_current_xact_id()
        ) n;
        return null;
      end $body$
    $function$, list.name, list.owner, list.kind);
    execute format(
      'create trigger %1$s_feed_insert after insert on %1$s referencing new table as written
         for each statement execute function note_%1$s()', list.name);
    execute format(
      'create trigger %1$s_feed_update after update on %1$s referencing old table as was new table as written
         for each statement execute function note_%1$s()', list.name);
    execute format(
      'create trigger %1$s_feed_delete after delete on %1$s referencing old table as written
         for each statement execute function note_%1$s()', list.name);
  end loop;
end $$;

-- The sessions of a schedule that are not stored have no ids: the schedule stands for them, and is noted whenever they
-- may differ.
create or replace function note_schedules_of_location() returns trigger language plpgsql as $$
begin
  perform remember_first_note();
  insert into change_log (organization_id, kind, record_id, type, reason)
  select s.organization_id, 'schedule', s.id::text, 'updated', nullif(current_setting('rollbook.reason', true), '')::jsonb
  from schedules s where s.organization_id = new.organization_id and s.location_id = new.id order by s.id;
  return null;
end $$;
create trigger locations_feed_schedules after update on locations
  for each row when ((old.status, old.timezone) is distinct from (new.status, new.timezone))
  execute function note_schedules_of_location();

create or replace function note_schedules_of_service_type() returns trigger language plpgsql as $$
begin
  perform remember_first_note();
  insert into change_log (organization_id, kind, record_id, type, reason)
  select s.organization_id, 'schedule', s.id::text, 'updated', nullif(current_setting('rollbook.reason', true), '')::jsonb
  from schedules s where s.organization_id = new.organization_id and s.service_type_id = new.id order by s.id;
  return null;
end $$;
create trigger service_types_feed_schedules after update on service_types
  for each row when (old.status is distinct from new.status) execute function note_schedules_of_service_type();
