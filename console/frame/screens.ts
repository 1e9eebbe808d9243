import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";
import type { StaffRole } from "./me.ts";

/** A screen of the console: where it is in the menu, and who has it. */
export interface Screen {
  readonly icon: IconName;
  readonly role: StaffRole;
}

/** How each screen is loaded; `preload` begins to read what it shows. */
export type ScreenLoaders = Readonly<
  Record<ScreenName, () => Promise<{ readonly default: ComponentType; readonly preload?: () => void }>>
>;

/** In the order of the menu. The name is the first part of the address and the key of its word. */
export const SCREENS = {
  today: { icon: "sun", role: "teacher" },
  calendar: { icon: "calendar", role: "teacher" },
  clients: { icon: "users", role: "front_desk" },
  money: { icon: "banknote", role: "front_desk" },
  timetable: { icon: "repeat", role: "front_desk" },
  catalog: { icon: "tag", role: "front_desk" },
  overview: { icon: "chart", role: "front_desk" },
  import: { icon: "upload", role: "owner" },
  settings: { icon: "settings", role: "owner" },
  audit: { icon: "history", role: "front_desk" },
} as const satisfies Readonly<Record<string, Screen>>;

export type ScreenName = keyof typeof SCREENS;

export function isScreenName(name: string): name is ScreenName {
  return name in SCREENS;
}

export function addressOfScreen(name: ScreenName): string {
  return name === "today" ? "/console/" : `/console/${name}`;
}
