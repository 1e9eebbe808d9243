-- Who made a link, as the audit trail names them: `staff:ID` or `operator:NAME`. Null: a node of the release before made
-- it, and whose it is cannot be told.
alter table staff_links add made_by text;

update staff_links k set made_by = (
  select a.actor from audit a
  where a.organization_id = k.organization_id and a.subject = k.staff_id::text and a.action in ('addStaff', 'linkStaff')
  order by a.id desc limit 1
);
create index staff_links_by_maker on staff_links (organization_id, made_by);

-- Whoever is removed, is no owner any more, or has a new password, leaves no link behind by which somebody comes in, nor
-- one that may be theirs. By triggers, so that it also holds when a node of the release before removes them.
create or replace function end_made_links() returns trigger language plpgsql as $$
begin
  delete from staff_links
  where organization_id = new.organization_id and used_at is null
    and (made_by = 'staff:' || new.id or (made_by is null and old.role = 'owner' and old.status = 'active'));
  return null;
end $$;

-- The password is written on removal too.
create trigger staff_password_ends_made_links after update of password on staff
  for each row execute function end_made_links();
create trigger staff_role_ends_made_links after update of role, all_locations on staff
  for each row when (new.role <> 'owner' or not new.all_locations) execute function end_made_links();

-- Owners work everywhere.
update staff set all_locations = true where role = 'owner' and not all_locations;
delete from staff_locations l using staff s
where s.organization_id = l.organization_id and s.id = l.staff_id and s.all_locations;
alter table staff add constraint staff_owner_everywhere check (role <> 'owner' or all_locations);

-- The browser and the system that a sign-in was begun with, in a word each, so that its owner knows it again.
alter table sign_ins add device text;

alter table passkeys
  -- Whether it may be on several devices at once. Their counters know nothing of each other, so theirs are not compared.
  -- Null: it was made before this was stored; its next use tells.
  add is_synced boolean,
  -- When the challenges were issued that were answered within the last minutes: each counts once, in whichever order.
  add answered timestamptz(3)[] not null default '{}';
