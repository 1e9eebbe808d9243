-- The answers of writes that bore an Idempotency-Key, each stored in the transaction of its write. They are kept for
-- 24 hours, so there is no foreign key that every write would have to check. No answer of the API is made of this table,
-- so no version covers it.
create table idempotency_keys (
  organization_id uuid not null,
  key             text collate "C" not null,
  fingerprint     bytea not null,
  -- Absent only while the transaction that makes the answer is under way.
  status          smallint,
  etag            text,
  location        text,
  body            bytea,
  -- The record that the answer shows: when it is erased, so is the answer.
  record_id       uuid,
  created_at      timestamptz(3) not null,
  primary key (organization_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
