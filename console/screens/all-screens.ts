import type { ScreenLoaders } from "../frame/screens.ts";

/** Each is fetched when it is first opened. */
export const SCREEN_LOADERS: ScreenLoaders = {
  today: () => import("./today/today.tsx"),
  calendar: () => import("./calendar/calendar.tsx"),
  clients: () => import("./clients/clients.tsx"),
  money: () => import("./money/money.tsx"),
  timetable: () => import("./timetable/timetable.tsx"),
  catalog: () => import("./catalog/catalog.tsx"),
  overview: () => import("./overview/overview.tsx"),
  import: () => import("./import/import.tsx"),
  settings: () => import("./settings/settings.tsx"),
  audit: () => import("./audit/audit.tsx"),
};
