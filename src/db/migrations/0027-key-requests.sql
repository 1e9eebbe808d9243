-- What came with each key in the last days and how it was answered, for whoever builds on the API: never a value. A row has what
-- one process recorded of one key in about a second, its failures and the others apart.
create table key_requests (
  organization_id uuid not null,
  key_id          uuid not null,
  failed          boolean not null,
  -- Of version 7, so in the order of time.
  id              uuid not null,
  at              timestamptz(3) not null,
  kept            integer not null check (kept >= 0),
  -- Further requests of that second, of which nothing else is known.
  left_out        integer not null check (left_out >= 0),
  -- [[milliseconds since 1970, operation, status, milliseconds, request id, code, reason, [[place, code]], number of faults]]
  entries         jsonb not null,
  primary key (organization_id, key_id, failed, id)
);
create index key_requests_by_time on key_requests (at);
