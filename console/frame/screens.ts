import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";
import type { StaffRole } from "./me.ts";

/** A screen of the console: where it is in the menu, who has it, and how it is loaded. */
export interface Screen {
  readonly icon: IconName;
  readonly role: StaffRole;
  /** `preload` begins to read what the screen shows. */
  readonly load: () => Promise<{ readonly default: ComponentType; readonly preload?: () => void }>;
}

/** In the order of the menu. The name is the first part of the address and the key of its word. */
export const SCREENS = {
  today: { icon: "sun", role: "front_desk", load: () => import("../screens/today/today.tsx") },
  calendar: { icon: "calendar", role: "front_desk", load: () => import("../screens/calendar/calendar.tsx") },
  clients: { icon: "users", role: "front_desk", load: () => import("../screens/clients/clients.tsx") },
  timetable: { icon: "repeat", role: "front_desk", load: () => import("../screens/timetable/timetable.tsx") },
  catalog: { icon: "tag", role: "front_desk", load: () => import("../screens/catalog/catalog.tsx") },
  overview: { icon: "chart", role: "front_desk", load: () => import("../screens/overview/overview.tsx") },
  import: { icon: "upload", role: "owner", load: () => import("../screens/import/import.tsx") },
  settings: { icon: "settings", role: "owner", load: () => import("../screens/settings/settings.tsx") },
  audit: { icon: "history", role: "front_desk", load: () => import("../screens/audit/audit.tsx") },
} as const satisfies Readonly<Record<string, Screen>>;

export type ScreenName = keyof typeof SCREENS;

export function isScreenName(name: string): name is ScreenName {
  return name in SCREENS;
}
