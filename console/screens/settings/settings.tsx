import { useMay } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Empty } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { route } from "../../routing/router.ts";
import { CalendarLinks } from "./calendar-links.tsx";
import { Keys } from "./keys.tsx";
import { words as linkWords } from "./link-words.ts";
import "./settings.css";
import { StaffList } from "./staff.tsx";
import { words } from "./words.ts";

// The others are larger than all else here, and few come for them.
const [Rules] = lazyDialog(async () => (await import("./rules.tsx")).Rules);
const [Webhooks] = lazyDialog(async () => (await import("./webhooks.tsx")).Webhooks);

const PARTS = {
  staff: StaffList,
  keys: Keys,
  calendars: CalendarLinks,
  webhooks: Webhooks,
  organization: Rules,
} as const;
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

export default function SettingsScreen() {
  const t = words();
  const isOwner = useMay("owner");
  const part = NAMES.find((name) => name === route.value.rest[0]) ?? "staff";
  const Shown = PARTS[part];
  const labels = {
    staff: t.staff,
    keys: t.keys,
    calendars: linkWords().links,
    webhooks: t.webhooks,
    organization: t.rules,
  };
  return (
    <Page title={frameWords().screens.settings}>
      {isOwner ? (
        <>
          <Tabs
            label={t.parts}
            current={part}
            tabs={NAMES.map((name) => ({ name, label: labels[name], href: `/console/settings/${name}` }))}
          />
          <Shown />
        </>
      ) : (
        <Empty icon="lock" title={t.ownersOnly}>
          {t.ownersOnlyText}
        </Empty>
      )}
    </Page>
  );
}
