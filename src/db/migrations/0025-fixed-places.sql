-- The bookings of a regular that were made as one, by the audit entry that made them, and that are moved and ended as one.
alter table bookings add fixed_place_id uuid;
create index bookings_by_fixed_place on bookings (organization_id, fixed_place_id) where fixed_place_id is not null;
