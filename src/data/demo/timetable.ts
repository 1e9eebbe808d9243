import { MANAUS, MOEMA, VILA_MADALENA } from "./catalog.ts";

/** A line of the timetable on the wall. */
export interface TimetableEntry {
  readonly type: string;
  readonly at: string;
  readonly time: string;
  readonly minutes: number;
  readonly seats: number;
  readonly instructor: number;
  readonly room?: number;
  /** How long ago it began. */
  readonly weeksAgo: number;
  /** Without it: once, and on the extra dates. */
  readonly rule?: string;
  /** Its UNTIL, counted from today, and the time of day if it is an instant. */
  readonly endsInDays?: number;
  readonly endsAt?: string;
  readonly restsOnHolidays?: boolean;
  readonly extra?: readonly { readonly inDays: number; readonly time: string }[];
  /** The days around today whose slots were booked, if others than usual. */
  readonly bookedDays?: readonly [number, number];
}

type WeeklyClass = readonly [
  at: string,
  type: string,
  time: string,
  minutes: number,
  seats: number,
  instructor: number,
  weeksAgo: number,
  rule: string,
  more?: Partial<TimetableEntry>,
];

const REST = { restsOnHolidays: true };

const WEEK: readonly WeeklyClass[] = [
  [VILA_MADALENA, "Pilates solo", "07:00", 50, 12, 0, 30, "FREQ=WEEKLY;BYDAY=MO,WE,FR", REST],
  [VILA_MADALENA, "Pilates solo", "18:30", 50, 14, 1, 30, "FREQ=WEEKLY;BYDAY=MO,WE", REST],
  [
    VILA_MADALENA,
    "Pilates solo",
    "09:00",
    50,
    14,
    1,
    22,
    "FREQ=WEEKLY;BYDAY=SA",
    { extra: [{ inDays: 5, time: "20:00" }] },
  ],
  [
    VILA_MADALENA,
    "Pilates aparelhos",
    "08:00",
    55,
    5,
    2,
    30,
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    { ...REST, room: 1 },
  ],
  [
    VILA_MADALENA,
    "Pilates aparelhos",
    "17:30",
    55,
    5,
    2,
    26,
    "FREQ=WEEKLY;BYDAY=TU,TH",
    { ...REST, room: 1 },
  ],
  [VILA_MADALENA, "Pilates gestantes", "10:00", 50, 8, 2, 14, "FREQ=WEEKLY;COUNT=24;BYDAY=TU,TH"],
  [VILA_MADALENA, "Hatha yoga", "06:45", 60, 16, 3, 30, "FREQ=DAILY", REST],
  [VILA_MADALENA, "Hatha yoga", "12:15", 45, 16, 4, 18, "FREQ=WEEKLY;BYDAY=TU,TH", REST],
  [VILA_MADALENA, "Vinyasa yoga", "19:30", 75, 16, 3, 28, "FREQ=WEEKLY;BYDAY=MO,TH", REST],
  [VILA_MADALENA, "Yoga restaurativa", "17:00", 90, 12, 4, 40, "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU"],
  [VILA_MADALENA, "Treino funcional", "06:00", 50, 15, 5, 24, "FREQ=WEEKLY;BYDAY=MO,WE,FR", REST],
  [VILA_MADALENA, "Treino funcional", "20:00", 50, 15, 5, 24, "FREQ=WEEKLY;BYDAY=TU,TH", { endsInDays: 40 }],
  [
    VILA_MADALENA,
    "Dança contemporânea",
    "20:30",
    90,
    20,
    6,
    20,
    "FREQ=WEEKLY;BYDAY=WE",
    { endsInDays: 26, endsAt: "T025959Z" },
  ],
  [VILA_MADALENA, "Alongamento", "13:00", 30, 20, 6, 16, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", REST],
  [
    VILA_MADALENA,
    "Fisioterapia",
    "08:00",
    50,
    1,
    7,
    30,
    "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8,9,10,14,15",
    { ...REST, room: 1 },
  ],
  [
    VILA_MADALENA,
    "Avaliação física",
    "11:00",
    40,
    1,
    7,
    30,
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1",
  ],
  [
    VILA_MADALENA,
    "Ginástica localizada",
    "19:00",
    50,
    18,
    5,
    60,
    "FREQ=WEEKLY;BYDAY=TU,TH",
    { bookedDays: [-98, -77] },
  ],

  [MOEMA, "Pilates solo", "07:30", 50, 10, 1, 26, "FREQ=WEEKLY;BYDAY=TU,TH", REST],
  [MOEMA, "Pilates solo", "19:00", 50, 10, 0, 26, "FREQ=WEEKLY;BYDAY=TU,TH", REST],
  [MOEMA, "Pilates aparelhos", "09:00", 55, 4, 0, 26, "FREQ=DAILY;INTERVAL=2", { room: 1 }],
  [MOEMA, "Pilates gestantes", "16:00", 50, 8, 0, 10, "FREQ=WEEKLY;COUNT=16;BYDAY=FR"],
  [MOEMA, "Hatha yoga", "07:00", 60, 14, 4, 26, "FREQ=WEEKLY;BYDAY=MO,WE,FR", REST],
  [
    MOEMA,
    "Hatha yoga",
    "10:00",
    60,
    14,
    4,
    20,
    "FREQ=WEEKLY;BYDAY=SA,SU",
    { extra: [{ inDays: 3, time: "21:00" }] },
  ],
  [MOEMA, "Vinyasa yoga", "18:00", 75, 14, 3, 26, "FREQ=WEEKLY;BYDAY=TU,FR", REST],
  [MOEMA, "Treino funcional", "06:30", 50, 12, 6, 22, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", REST],
  [MOEMA, "Dança contemporânea", "15:00", 90, 16, 6, 22, "FREQ=MONTHLY;BYDAY=1SA,3SA"],
  [MOEMA, "Alongamento", "12:30", 30, 16, 5, 18, "FREQ=WEEKLY;BYDAY=MO,WE", REST],
  [
    MOEMA,
    "Fisioterapia",
    "13:00",
    50,
    1,
    7,
    26,
    "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=13,14;BYMINUTE=0",
    { room: 1 },
  ],
  [MOEMA, "Yoga restaurativa", "18:30", 90, 12, 3, 26, "FREQ=MONTHLY;BYDAY=-1FR"],

  [MANAUS, "Pilates solo", "06:30", 50, 12, 8, 24, "FREQ=WEEKLY;BYDAY=MO,WE,FR", REST],
  [MANAUS, "Pilates solo", "18:00", 50, 12, 8, 24, "FREQ=WEEKLY;BYDAY=TU,TH", REST],
  [MANAUS, "Pilates aparelhos", "07:30", 55, 4, 8, 24, "FREQ=WEEKLY;BYDAY=TU,TH,SA", { room: 1 }],
  [MANAUS, "Hatha yoga", "06:00", 60, 14, 8, 24, "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR,SA", REST],
  [MANAUS, "Vinyasa yoga", "19:00", 75, 14, 8, 20, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU"],
  [
    MANAUS,
    "Treino funcional",
    "17:00",
    50,
    14,
    8,
    24,
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    { ...REST, endsInDays: 90 },
  ],
  [MANAUS, "Alongamento", "12:00", 30, 14, 8, 12, "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=40"],
  [MANAUS, "Avaliação física", "14:00", 40, 1, 8, 24, "FREQ=MONTHLY;BYMONTHDAY=10,20,-1"],
  [MANAUS, "Yoga restaurativa", "16:00", 90, 10, 8, 24, "FREQ=MONTHLY;BYDAY=2SU"],
  [MANAUS, "Dança contemporânea", "10:00", 120, 30, 6, 104, "FREQ=YEARLY"],
];

/** Forty schedules: those of every week, and a course of three evenings. */
export const TIMETABLE: readonly TimetableEntry[] = [
  ...WEEK.map(([at, type, time, minutes, seats, instructor, weeksAgo, rule, more]) => ({
    at,
    type,
    time,
    minutes,
    seats,
    instructor,
    weeksAgo,
    rule,
    ...more,
  })),
  {
    at: MOEMA,
    type: "Vinyasa yoga",
    time: "20:15",
    minutes: 90,
    seats: 12,
    instructor: 3,
    weeksAgo: 1,
    extra: [
      { inDays: 0, time: "20:15" },
      { inDays: 7, time: "20:15" },
    ],
  },
];

export interface Workshop {
  readonly type: string;
  readonly at: string;
  readonly inDays: number;
  readonly time: string;
  readonly minutes: number;
  readonly seats: number;
  readonly booked: number;
  readonly cancelled?: boolean;
}

/** What takes place once and belongs to no schedule. */
export const WORKSHOPS: readonly Workshop[] = [
  {
    type: "Yoga restaurativa",
    at: VILA_MADALENA,
    inDays: -6,
    time: "14:00",
    minutes: 180,
    seats: 24,
    booked: 22,
  },
  {
    type: "Dança contemporânea",
    at: VILA_MADALENA,
    inDays: 2,
    time: "21:00",
    minutes: 120,
    seats: 30,
    booked: 17,
  },
  { type: "Pilates aparelhos", at: MOEMA, inDays: 4, time: "11:00", minutes: 90, seats: 4, booked: 4 },
  { type: "Treino funcional", at: MOEMA, inDays: 9, time: "08:30", minutes: 120, seats: 40, booked: 12 },
  { type: "Hatha yoga", at: MANAUS, inDays: 1, time: "17:30", minutes: 90, seats: 20, booked: 9 },
  {
    type: "Pilates solo",
    at: MANAUS,
    inDays: 6,
    time: "09:00",
    minutes: 120,
    seats: 20,
    booked: 0,
    cancelled: true,
  },
];
