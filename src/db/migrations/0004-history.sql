-- Which past this database has. After a restore, versions repeat with other data: whatever is made of a version is made
-- of this as well.
insert into facts (name, value) values ('history', gen_random_uuid()::text) on conflict do nothing;
