-- A booking that draws on nothing is left to do until it is covered, or until somebody says that it is a courtesy.
alter table bookings add courtesy boolean not null default false;
drop index bookings_uncovered;
create index bookings_uncovered on bookings (organization_id, visit_date, id)
  where entitlement_id is null and state <> 'cancelled' and not courtesy;
