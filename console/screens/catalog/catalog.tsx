import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { route } from "../../routing/router.ts";
import { addressOfPart, type CatalogPart } from "./addresses.ts";
import "./catalog.css";
import { Groups } from "./groups.tsx";
import { Locations } from "./locations.tsx";
import { PlanPage } from "./plan-form.tsx";
import { Plans } from "./plans.tsx";
import { Resources } from "./resources.tsx";
import { Services } from "./services.tsx";
import { words } from "./words.ts";

const PARTS = {
  plans: Plans,
  services: Services,
  groups: Groups,
  locations: Locations,
  resources: Resources,
} as const satisfies Record<CatalogPart, unknown>;
const NAMES = Object.keys(PARTS) as CatalogPart[];

export default function CatalogScreen() {
  const t = words();
  const [named = "plans", opened] = route.value.rest;
  const part = NAMES.find((known) => known === named) ?? "plans";
  if (part === "plans" && opened !== undefined) return <PlanPage key={opened} id={opened} />;
  const Shown = PARTS[part];
  return (
    <Page title={frameWords().screens.catalog}>
      <Tabs
        label={t.parts}
        current={part}
        tabs={NAMES.map((name) => ({ name, label: t[name], href: addressOfPart(name) }))}
      />
      <Shown />
    </Page>
  );
}
