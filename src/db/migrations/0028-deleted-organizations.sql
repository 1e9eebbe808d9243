-- Organizations that an operator has given up, and the evidence of those that are gone: nothing in it tells of a person
-- but of the operator.
create table organization_deletions (
  id           uuid not null,
  asked_at     timestamptz(3) not null,
  actor        text not null,
  delete_after timestamptz(3) not null,
  -- What it goes back to if it is kept.
  status       text not null,
  begun_at     timestamptz(3),
  deleted_at   timestamptz(3),
  -- The highest version that its data had here: if it ever comes back, its versions go on above.
  version      bigint,
  -- How many of each table are gone.
  rows         jsonb not null default '{}',
  primary key (id, asked_at)
);
create unique index organization_deletions_open on organization_deletions (id) where deleted_at is null;
