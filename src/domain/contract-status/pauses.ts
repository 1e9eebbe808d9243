/** The pauses of the contract with this alias, as JSON in the order of their days. */
export const pausesJson = (contract: string) => `(
  select coalesce(json_agg(json_strip_nulls(json_build_object('id', p.id, 'firstDay', p.first_day, 'lastDay', p.last_day,
    'extendsTerm', p.extends_term)) order by p.first_day), '[]')
  from contract_pauses p where p.organization_id = ${contract}.organization_id and p.contract_id = ${contract}.id
)`;
