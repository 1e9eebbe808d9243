-- How often an e-mail address was tried to sign in with. Found by a keyed hash of the address: most that are tried by
-- strangers are nobody's, and none is to be read here. `free_at` grows by a minute with each try; a try is refused while
-- ten of them lie ahead.
create unlogged table sign_in_tries (
  mark    bytea primary key check (length(mark) = 32),
  free_at timestamptz(3) not null
);
create index sign_in_tries_by_time on sign_in_tries (free_at);

-- What one colleague did, and what was done to them.
create index audit_by_actor on audit (organization_id, actor, id);
create index audit_by_subject on audit (organization_id, subject, id) where subject is not null;

-- Those that are over are removed by their age.
create index sign_ins_by_age on sign_ins (seen_at);
