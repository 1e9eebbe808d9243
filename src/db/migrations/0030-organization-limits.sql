-- How many requests a minute all keys of an organization may make together; without a value as many as they like. The column
-- has no default, so nothing is rewritten however many organizations there are.
alter table organizations add requests_per_minute integer check (requests_per_minute > 0);
