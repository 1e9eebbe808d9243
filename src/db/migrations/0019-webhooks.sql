-- Addresses that the changes of an organization are sent to. Each is a place in the change feed: there is no queue beside it.
create table webhook_endpoints (
  organization_id uuid not null references organizations,
  id              uuid not null,
  url             text not null check (length(url) between 1 and 2000),
  name            text,
  -- Null: all events.
  events          text[],
  -- If more events than this are due, one message stands for them.
  flood           integer not null check (flood between 1 and 100000),
  -- Whether each event has the record as it is when it is sent.
  sends_record    boolean not null,
  -- The newest first: [{"sealed": "…", "endsAt": "…"}], encrypted with a key that is not in the database.
  secrets         jsonb not null,
  state           text not null check (state in ('active', 'disabled')),
  reason          text check (reason in ('owner', 'failing', 'gone', 'secret_lost')),
  -- The number of the last event that was taken or passed over.
  position        bigint not null check (position >= 0),
  -- The message under way: the event with this number, or, with a count, one for so many up to it.
  pending_to      bigint check (pending_to > position),
  pending_count   integer check (pending_count > 0),
  -- Attempts that failed one after the other.
  tries           integer not null default 0 check (tries >= 0),
  failing_since   timestamptz(3),
  -- Null: nothing is due until the feed goes on.
  next_attempt_at timestamptz(3),
  -- Since when nothing may be sent, because of the organization's status or plan.
  held_since      timestamptz(3),
  -- A test that is to be sent.
  test_id         uuid,
  -- Moves with every change by an owner: what came of a request that was sent before does not count.
  revision        integer not null default 0,
  -- Whose turn it is to send: nobody else does until the time is over.
  lease_token     uuid,
  leased_until    timestamptz(3),
  created_at      timestamptz(3) not null,
  primary key (organization_id, id),
  check ((state = 'disabled') = (reason is not null)),
  check (pending_to is not null or pending_count is null)
);
create index webhook_endpoints_due on webhook_endpoints (next_attempt_at)
  where state = 'active' and held_since is null and next_attempt_at is not null;
create index webhook_endpoints_tested on webhook_endpoints (organization_id, id) where test_id is not null;

-- What was sent and what came of it, for 30 days. The bodies are nowhere.
create table webhook_attempts (
  organization_id uuid not null,
  webhook_id      uuid not null,
  id              uuid not null,
  at              timestamptz(3) not null,
  event           text not null,
  -- Absent of a test.
  sequence        bigint,
  try             integer not null,
  status          integer,
  failure         text,
  milliseconds    integer not null,
  -- How a failed answer begins.
  excerpt         text,
  primary key (organization_id, webhook_id, id),
  foreign key (organization_id, webhook_id) references webhook_endpoints on delete cascade
);
create index webhook_attempts_by_time on webhook_attempts (at);

-- An organization that may not use the API is sent nothing, and the time for which its endpoints are tried stands still
-- meanwhile. By triggers, so that it also holds when the release before, or somebody by hand, changes an organization.
create or replace function hold_webhooks() returns trigger language plpgsql as $$
begin
  if new.status = 'active' and new.tier in ('Pro', 'Enterprise') then
    update webhook_endpoints
    set failing_since = failing_since + (now() - held_since), held_since = null,
      next_attempt_at = least(next_attempt_at, now())
    where organization_id = new.id and held_since is not null;
  else
    update webhook_endpoints set held_since = now() where organization_id = new.id and held_since is null;
  end if;
  return null;
end $$;
create trigger organizations_hold_webhooks after update of status, tier on organizations
  for each row when (old.status <> new.status or old.tier <> new.tier)
  execute function hold_webhooks();

create or replace function hold_new_webhook() returns trigger language plpgsql as $$
begin
  if not exists (select from organizations where id = new.organization_id and status = 'active'
                 and tier in ('Pro', 'Enterprise')) then
    new.held_since := coalesce(new.held_since, now());
  end if;
  return new;
end $$;
create trigger webhook_endpoints_hold_new before insert on webhook_endpoints
  for each row execute function hold_new_webhook();

-- Endpoints at which nothing was due are due again as soon as the feed goes on, whoever numbered. Epoch: before all that have
-- waited, as there is little to send.
create or replace function wake_webhooks() returns trigger language plpgsql as $$
begin
  update webhook_endpoints set next_attempt_at = to_timestamp(0)
  where organization_id = new.organization_id and state = 'active' and next_attempt_at is null;
  return null;
end $$;
create trigger change_heads_wake_webhooks after insert or update of sequence on change_heads
  for each row execute function wake_webhooks();

-- Owners' consoles see at once that an endpoint begins or ceases to fail, is disabled, or that a test was sent.
create constraint trigger webhooks_move_staff_version after update of state, failing_since on webhook_endpoints
  deferrable initially deferred for each row
  when (old.state <> new.state or (old.failing_since is null) <> (new.failing_since is null))
  execute function move_staff_version();
create constraint trigger webhook_tests_move_staff_version after insert on webhook_attempts
  deferrable initially deferred for each row when (new.event = 'webhook.test')
  execute function move_staff_version();
