import { SelectField } from "../parts/field.tsx";
import { route, setQuery } from "../routing/router.ts";
import { type Catalog, choicesOf } from "./catalog.ts";
import { words } from "./words.ts";

/** By what the address narrows down sessions or schedules; null where it does not. */
export function sessionFilters() {
  const { query } = route.value;
  const [location, service, resource] = [query.get("location"), query.get("service"), query.get("with")];
  return {
    location,
    service,
    resource,
    isFiltered: location !== null || service !== null || resource !== null,
  };
}

/** Where, what and with whom. What is chosen goes into the address. */
export function SessionFilters({ catalog }: { readonly catalog: Catalog }) {
  const t = words();
  const { location, service, resource } = sessionFilters();
  return (
    <>
      <SelectField
        label={t.location}
        value={location ?? ""}
        choices={[{ value: "", label: t.allLocations }, ...choicesOf(catalog.locations)]}
        onChoose={(value) => setQuery({ location: value })}
      />
      <SelectField
        label={t.serviceType}
        value={service ?? ""}
        choices={[{ value: "", label: t.allServiceTypes }, ...choicesOf(catalog.serviceTypes)]}
        onChoose={(value) => setQuery({ service: value })}
      />
      <SelectField
        label={t.resource}
        value={resource ?? ""}
        choices={[{ value: "", label: t.allResources }, ...choicesOf(catalog.resources)]}
        onChoose={(value) => setQuery({ with: value })}
      />
    </>
  );
}
