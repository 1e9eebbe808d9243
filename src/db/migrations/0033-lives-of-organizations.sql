-- Which life of an organization this is, if it came from elsewhere: another one after each import and each move. Versions of its
-- data are counted in each, so what is made of a version is made of this too. Absent: it was made on this server.
alter table organizations add life uuid;
comment on column organization_deletions.version is 'of the release before, which raised versions instead';

-- A restore before this release made these indexes again, and forgot that the tables are known by them elsewhere.
alter table keys replica identity using index keys_of_organization;
alter table staff_links replica identity using index staff_links_of_organization;
alter table sign_ins replica identity using index sign_ins_of_organization;
