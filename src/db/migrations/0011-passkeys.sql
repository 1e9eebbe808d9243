-- Keys of authenticators, by which somebody on the staff signs in without the password. Found by the user handle that an
-- authenticator gives back: it names the organization and the person, so nothing has to be unique beyond an organization.
create table passkeys (
  organization_id uuid not null,
  id              uuid not null,
  staff_id        uuid not null,
  name            text not null,
  -- By what the authenticator knows it.
  credential_id   bytea not null check (length(credential_id) between 1 and 1023),
  -- As SubjectPublicKeyInfo, which names the algorithm too.
  public_key      bytea not null,
  -- How often the authenticator says that it has signed; always 0 if it does not count.
  sign_count      bigint not null check (sign_count >= 0),
  -- When the challenge was issued that was answered last. Only answers to later ones count, so that each counts once.
  challenged_at   timestamptz(3) not null,
  created_at      timestamptz(3) not null,
  last_used_at    timestamptz(3),
  primary key (organization_id, id),
  foreign key (organization_id, staff_id) references staff on delete cascade
);
create unique index passkeys_credential on passkeys (organization_id, credential_id);
create index passkeys_by_staff on passkeys (organization_id, staff_id);

-- Whoever gets a new password by a link, or is removed, has no passkey any more: nobody who had the account before comes
-- back by one. By a trigger, so that it also holds when a node of the release before writes the password.
create or replace function remove_passkeys() returns trigger language plpgsql as $$
begin
  delete from passkeys where organization_id = new.organization_id and staff_id = new.id;
  return null;
end $$;

-- Also if the new password is the old one: the column is written by nothing else.
create trigger staff_removes_passkeys after update of password on staff
  for each row execute function remove_passkeys();
