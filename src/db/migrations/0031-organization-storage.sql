-- How many records of an organization the change feed tells of: counted by whoever numbers its changes, so that no writer
-- pays for it. The truth is the sum over the slots, and what has no number yet.
alter table organization_counters add records bigint not null default 0;

-- Without a value the server's own limit holds; 0 is none.
alter table organizations
  drop constraint organizations_requests_per_minute_check,
  add constraint organizations_requests_per_minute_check check (requests_per_minute >= 0),
  add max_records bigint check (max_records >= 0),
  add upload_mb_per_day integer check (upload_mb_per_day >= 0);

-- What an organization has uploaded on the last day on which it did.
create table organization_uploads (
  organization_id uuid primary key,
  day             date not null,
  bytes           bigint not null check (bytes >= 0)
) with (fillfactor = 50);
