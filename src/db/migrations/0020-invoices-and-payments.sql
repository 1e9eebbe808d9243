-- What clients owe and what they paid. Nothing is issued for an organization without invoices_from.
alter table organizations
  add invoices_from date check (invoices_from >= '2000-01-01'),
  add payment_days  smallint not null default 0 check (payment_days between 0 and 90);

alter table contracts
  -- When the next invoice of the contract is issued. The epoch: it is to be computed.
  add next_invoice_at timestamptz(3),
  -- Nothing is issued for days before this one: the contract was brought in as paused, and nobody said since when.
  add invoiced_from   date;
create index contracts_to_invoice on contracts (organization_id, next_invoice_at) where next_invoice_at is not null;

create table invoices (
  organization_id uuid not null,
  id              uuid not null,
  number          integer not null check (number >= 1),
  client_id       uuid not null,
  -- Absent if it was added by hand, or if the sale was undone.
  contract_id     uuid,
  -- Which of the contract's periods it is for, counted from 0.
  period_number   integer check (period_number >= 0),
  description     text not null,
  period_first    date,
  period_last     date check (period_last >= period_first),
  issued_on       date not null,
  due_on          date not null,
  amount_cents    bigint not null check (amount_cents between 0 and 9007199254740991),
  paid_cents      bigint not null check (paid_cents between 0 and amount_cents),
  status          text not null check (status in ('open', 'paid', 'void')),
  primary key (organization_id, id),
  unique (organization_id, number),
  unique (organization_id, contract_id, period_number),
  foreign key (organization_id, client_id) references clients,
  foreign key (organization_id, contract_id) references contracts on delete set null (contract_id),
  check (status <> 'open' or paid_cents < amount_cents),
  check (status <> 'paid' or paid_cents = amount_cents),
  check (status <> 'void' or paid_cents = 0)
);
create index invoices_by_client on invoices (organization_id, client_id, number);
create index invoices_by_day on invoices (organization_id, issued_on);
create index invoices_open on invoices (organization_id, client_id, due_on) where status = 'open';
create index invoices_overdue on invoices (organization_id, due_on) where status = 'open';

create table payments (
  organization_id uuid not null,
  id              uuid not null,
  number          integer not null check (number >= 1),
  client_id       uuid not null,
  type            text not null check (type in ('payment', 'refund')),
  method          text not null check (method in ('cash', 'card', 'transfer', 'pix', 'other')),
  amount_cents    bigint not null check (amount_cents between 1 and 9007199254740991),
  -- What of it pays nothing yet.
  rest_cents      bigint not null check (rest_cents between 0 and amount_cents),
  paid_on         date not null,
  note            text,
  status          text not null check (status in ('done', 'void')),
  created_at      timestamptz(3) not null,
  -- Who recorded it, as the audit trail names them.
  created_by      text not null,
  primary key (organization_id, id),
  unique (organization_id, number),
  foreign key (organization_id, client_id) references clients,
  check (rest_cents = 0 or (type = 'payment' and status = 'done'))
);
create index payments_by_client on payments (organization_id, client_id, number);
create index payments_by_day on payments (organization_id, paid_on);
create index payments_with_rest on payments (organization_id, client_id) where rest_cents > 0;

-- What of a payment pays which invoice.
create table payment_allocations (
  organization_id uuid not null,
  payment_id      uuid not null,
  invoice_id      uuid not null,
  amount_cents    bigint not null check (amount_cents >= 1),
  primary key (organization_id, payment_id, invoice_id),
  foreign key (organization_id, payment_id) references payments on delete cascade,
  foreign key (organization_id, invoice_id) references invoices
);
create index payment_allocations_by_invoice on payment_allocations (organization_id, invoice_id);

-- What of a payment a refund gave back.
create table payment_refunds (
  organization_id uuid not null,
  refund_id       uuid not null,
  payment_id      uuid not null,
  amount_cents    bigint not null check (amount_cents >= 1),
  primary key (organization_id, refund_id, payment_id),
  foreign key (organization_id, refund_id) references payments on delete cascade,
  -- Brought in together, in any order.
  foreign key (organization_id, payment_id) references payments deferrable initially deferred
);
create index payment_refunds_by_payment on payment_refunds (organization_id, payment_id);

-- Whoever writes the course of a contract, a node of the release before too, leaves its next invoice to be computed.
create or replace function mark_contract_to_invoice() returns trigger language plpgsql as $$
begin
  if new.price_cents > 0 and exists (
    select from organizations where id = new.organization_id and invoices_from is not null
  ) then
    new.next_invoice_at := 'epoch';
  elsif new.next_invoice_at = '-infinity' then
    new.next_invoice_at := null;
  end if;
  return new;
end $$;

-- Only of what is new: a restore says what it was.
alter table contracts alter next_invoice_at set default '-infinity';
create trigger contracts_to_invoice before insert on contracts
  for each row when (new.next_invoice_at = '-infinity') execute function mark_contract_to_invoice();
create trigger contracts_to_invoice_again before update of course_revision on contracts
  for each row execute function mark_contract_to_invoice();

-- A node of the release before knows only the changes of status when it says what is due next.
create or replace function keep_invoices_due() returns trigger language plpgsql as $$
begin
  new.due_at := least(new.due_at, (
    select min(next_invoice_at) from contracts where organization_id = new.id and next_invoice_at is not null
  ));
  return new;
end $$;

create trigger organizations_keep_invoices_due before update of due_at on organizations
  for each row when (new.invoices_from is not null) execute function keep_invoices_due();
