-- Statements are planned once, for the average organization. Where thousands have next to nothing that one has two or three
-- rows, any index that begins with the organization looks as good as any other, and a large one is read from end to end. So
-- of more than a hundred organizations each is taken for a hundredth of a table: see docs/decisions/lists-and-search.md. Tells the
-- planner so of one table that does not know it yet, and returns its name. Nobody who reads or writes waits for that.
create or replace function average_organizations() returns name language plpgsql as $$
declare
  due name;
begin
  if (select count(*) from (select from organizations limit 101) o) <= 100 then
    return null;
  end if;
  select c.relname into due
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and a.attname = 'organization_id' and not coalesce(a.attoptions, '{}') @> '{n_distinct=100}'
  order by 1 limit 1;
  if found then
    execute format('alter table %I alter column organization_id set (n_distinct = 100)', due);
    execute format('analyze %I (organization_id)', due);
  end if;
  return due;
end $$;
