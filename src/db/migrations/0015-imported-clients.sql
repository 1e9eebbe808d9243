-- Which clients an import of a sheet has written, so that it can be taken back as a whole for some time.
create table imported_clients (
  organization_id uuid not null,
  -- The audit entry of the import.
  import_id       uuid not null,
  client_id       uuid not null,
  -- When the import wrote the client: whoever was written since is left alone.
  written_at      timestamptz(3) not null,
  -- What the client was before; null if the import added it.
  before          jsonb,
  primary key (organization_id, import_id, client_id),
  foreign key (organization_id, client_id) references clients on delete cascade
);
create index imported_clients_by_client on imported_clients (organization_id, client_id);
create index imported_clients_by_age on imported_clients (written_at);

-- Of an erased client nothing is kept. By a trigger, so that it also holds when a node of the release before erases.
create or replace function forget_imported_client() returns trigger language plpgsql as $$
begin
  delete from imported_clients where organization_id = new.organization_id and client_id = new.client_id;
  return null;
end $$;

create trigger erasures_forget_imported after insert on erasures
  for each row execute function forget_imported_client();
