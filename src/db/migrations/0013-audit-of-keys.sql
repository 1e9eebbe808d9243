-- The request that an entry was made by, if an API key made it: the X-Request-Id of its answer.
alter table audit add request_id text;

-- A key of a repeated request belongs to the person who sent it. Nodes of the release before look it up without the person,
-- by the first two columns, and still exclude each other by their lock.
create unique index audit_request_of_actor on audit (organization_id, request_key, actor) where request_key is not null;
drop index audit_request;

-- Failed sign-ins are counted in one entry an hour, so that nobody can fill the trail by trying.
create unique index audit_failed_sign_ins on audit (
  organization_id, subject, date_trunc('hour', at at time zone 'UTC')
) nulls not distinct where action = 'signIn.failed';

-- What an API key writes moves the version of the clients in the same transaction, so that consoles notice it by that.
drop trigger audit_moves_staff_version on audit;
create constraint trigger audit_moves_staff_version after insert on audit
  deferrable initially deferred for each row
  when (new.organization_id is not null and new.actor not like 'key:%')
  execute function move_staff_version();
