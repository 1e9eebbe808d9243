-- The past that the feed of an organization had on the server that it came from: cursors and ids of webhook messages go on
-- by it. Absent: the past of this server. See docs/decisions/moving.md.
alter table change_heads add past text;

-- While an organization is copied in, its rows come as they are: what they are stays as it was.
create or replace function move_staff_version() returns trigger language plpgsql as $$
begin
  if current_setting('rollbook.copied', true) = new.organization_id::text then
    return null;
  end if;
  insert into staff_versions as v (organization_id, slot, version)
  values (new.organization_id, pg_current_xact_id()::text::bigint % 16, 1)
  on conflict (organization_id, slot) do update set version = v.version + 1;
  return null;
end $$;
