-- A class that may still last when another begins is looked for as far back as the longest session can reach, a year. With
-- the index of starts alone that read every stored session of the year: 200 ms for 48,000. Hardly any lasts longer than a
-- day, so those that do have an index of their own.
create index sessions_longer_than_a_day on sessions (organization_id, start_at) where duration_minutes > 1440;
