-- An organization can be moved to another server while it is in use, by logical replication. See docs/decisions/moving.md.

-- The move that an organization is in, or was: absent of nearly all, so that the gate asks no more of them. It goes along with
-- the row of the organization.
alter table organizations add moving uuid;

-- What this server knows of a move. It stays here: the other server has a row of its own.
create table organization_moves (
  organization_id uuid primary key,
  id              uuid not null,
  side            text not null check (side in ('source', 'target')),
  -- The public address of the target, where callers are sent.
  url             text not null,
  -- At the source: the history of the database that it goes to, so that no command takes another one for it.
  target          text check (side = 'target' or target is not null),
  begun_at        timestamptz(3) not null default now(),
  -- No webhook is begun at the source any more, so that none is under way when the organization leaves.
  is_closing      boolean not null default false
);

-- That an organization has left. The row is written at the source and reaches the target behind everything that was written
-- before it: by one and the same row the source has it no more, and the target has it.
create table organization_departures (
  organization_id uuid not null,
  move_id         uuid not null,
  left_at         timestamptz(3) not null default now(),
  primary key (organization_id, move_id)
);

-- Where an organization is: null here, '' on its way here, otherwise the address that it has moved to.
create or replace function organization_elsewhere(organization uuid, moving uuid) returns text language plpgsql stable strict as $$
declare
  move organization_moves;
  has_left boolean;
begin
  select * into move from organization_moves m where m.organization_id = organization and m.id = moving;
  if not found then
    return null;
  end if;
  has_left := exists (
    select from organization_departures d where d.organization_id = organization and d.move_id = moving
  );
  return case when (move.side = 'source') <> has_left then null when has_left then move.url else '' end;
end $$;

-- Refuses whatever is written to an organization on a server that does not have it, whoever writes. `org move` puts it on every
-- table, for the rows of this one organization alone and for as long as the move lasts. Writers share a lock until they
-- commit, and what leaves takes it alone: who comes after it sees that it has left.
create or replace function refuse_absent_organization() returns trigger language plpgsql as $$
declare
  organization uuid := tg_argv[0]::uuid;
  move uuid := tg_argv[1]::uuid;
begin
  if coalesce(current_setting('rollbook.removes', true), '') <> tg_argv[1] then
    perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[1], 0));
    if current_setting('transaction_isolation') <> 'read committed' or organization_elsewhere(organization, move) is not null then
      raise exception 'organization % is on another server, or on its way', organization using errcode = '40M01';
    end if;
  end if;
  return coalesce(new, old);
end $$;
