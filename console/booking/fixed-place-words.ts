import { addDays } from "../languages/days.ts";
import { count, listOf, weekdayOf } from "../languages/format.ts";
import { dictionary, plural } from "../languages/words.ts";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Of a date. */
export function weekdayName(date: string): Weekday {
  return WEEKDAYS[(new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7] ?? "monday";
}

/** "Tue" or "Tuesday", as the language says it. */
export function weekdayText(weekday: Weekday, width: "short" | "long"): string {
  return weekdayOf(addDays("2026-11-16", WEEKDAYS.indexOf(weekday)), width);
}

/** In the order of the week. */
export const weekdayPlace = (weekday: Weekday) => WEEKDAYS.indexOf(weekday);

interface WeeklyPlace {
  readonly weekday: Weekday;
  readonly time: string;
  readonly serviceTypeName: string;
}

/** "Tue and Thu 18:00 Pilates": days with the same time and service are said together. */
export function placesText(places: readonly WeeklyPlace[]): string {
  const groups = new Map<string, Weekday[]>();
  for (const { weekday, time, serviceTypeName } of places) {
    const what = `${time} ${serviceTypeName}`;
    groups.set(what, [...(groups.get(what) ?? []), weekday]);
  }
  return [...groups]
    .map(([what, days]) => `${listOf(days.map((day) => weekdayText(day, "short")))} ${what}`)
    .join(" · ");
}

export const fixedPlaceWords = dictionary(
  {
    every: "Every week",
    from: "From",
    until: "Until",
    untilHint: "At most 92 days and 60 classes at once.",
    service: "Service",
    all: "All services",
    location: "Location",
    everywhere: "All locations",
    none: "No class of the timetable takes place in these two weeks.",
    choose: "Choose when they come every time.",
    effects: "What will happen",
    checking: "Working it out …",
    allBooked: (number: number) => `${count(number)} ${plural(number, "class is", "classes are")} booked.`,
    someBooked: (number: number, total: number) =>
      `${count(number)} of ${count(total)} ${plural(total, "class", "classes")} can be booked. The others stay as they are:`,
    known: (number: number) => `${count(number)} of them ${plural(number, "was", "were")} booked before.`,
    given: (number: number) =>
      `${count(number)} ${plural(number, "booking is", "bookings are")} given up without loss.`,
    late: (number: number) =>
      `${count(number)} ${plural(number, "booking is", "bookings are")} cancelled too late: what was drawn is kept.`,
    noSlots: "There is no such class on these days.",
    slot: (date: string, time: string, why: string) => `${date} ${time}: ${why}`,
    full: "full",
    closed: "does not take place",
    uncovered: "not covered",
    uncoveredWhy: (reason: string) => `not covered, ${reason}`,
    busy: "the teacher or room is taken",
    over: "over",
    other: "cannot be booked",
    book: (number: number) => `Book ${count(number)} ${plural(number, "class", "classes")}`,
    booked: (name: string, number: number) =>
      `${name} is booked into ${count(number)} ${plural(number, "class", "classes")}.`,
    move: "Move",
    moved: (name: string) => `The fixed place of ${name} is moved.`,
    moveTitle: (name: string) => `Move the fixed place of ${name}`,
    title: (name: string) => `A fixed place for ${name}`,
  },
  {
    every: "Toda semana",
    from: "De",
    until: "Até",
    untilHint: "No máximo 92 dias e 60 aulas de uma vez.",
    service: "Serviço",
    all: "Todos os serviços",
    location: "Unidade",
    everywhere: "Todas as unidades",
    none: "Nenhuma aula da grade acontece nestas duas semanas.",
    choose: "Escolha quando a pessoa vem toda semana.",
    effects: "O que vai acontecer",
    checking: "Calculando …",
    allBooked: (number: number) =>
      `${count(number)} ${plural(number, "aula é agendada", "aulas são agendadas")}.`,
    someBooked: (number: number, total: number) =>
      `${count(number)} de ${count(total)} ${plural(total, "aula pode", "aulas podem")} ser ${plural(total, "agendada", "agendadas")}. As outras ficam como estão:`,
    known: (number: number) =>
      `${count(number)} ${plural(number, "delas já estava agendada", "delas já estavam agendadas")}.`,
    given: (number: number) =>
      `${count(number)} ${plural(number, "agendamento é cancelado", "agendamentos são cancelados")} sem perda.`,
    late: (number: number) =>
      `${count(number)} ${plural(number, "agendamento é cancelado", "agendamentos são cancelados")} fora do prazo: o que foi descontado não volta.`,
    noSlots: "Não há essa aula nestes dias.",
    slot: (date: string, time: string, why: string) => `${date}, ${time}: ${why}`,
    full: "lotada",
    closed: "não acontece",
    uncovered: "sem cobertura",
    uncoveredWhy: (reason: string) => `sem cobertura, ${reason}`,
    busy: "professor ou sala ocupados",
    over: "encerrada",
    other: "não pode ser agendada",
    book: (number: number) => `Agendar ${count(number)} ${plural(number, "aula", "aulas")}`,
    booked: (name: string, number: number) =>
      `${name}: ${count(number)} ${plural(number, "aula agendada", "aulas agendadas")}.`,
    move: "Mudar",
    moved: (name: string) => `O horário fixo de ${name} mudou.`,
    moveTitle: (name: string) => `Mudar o horário fixo de ${name}`,
    title: (name: string) => `Horário fixo para ${name}`,
  },
  {
    every: "Cada semana",
    from: "Desde",
    until: "Hasta",
    untilHint: "Como máximo 92 días y 60 clases a la vez.",
    service: "Servicio",
    all: "Todos los servicios",
    location: "Sede",
    everywhere: "Todas las sedes",
    none: "Ninguna clase del horario tiene lugar en estas dos semanas.",
    choose: "Elija cuándo viene cada semana.",
    effects: "Qué va a pasar",
    checking: "Calculando …",
    allBooked: (number: number) =>
      `Se ${plural(number, "reserva", "reservan")} ${count(number)} ${plural(number, "clase", "clases")}.`,
    someBooked: (number: number, total: number) =>
      `Se ${plural(number, "puede", "pueden")} reservar ${count(number)} de ${count(total)} ${plural(total, "clase", "clases")}. Las demás quedan como están:`,
    known: (number: number) =>
      `${count(number)} de ellas ya ${plural(number, "estaba reservada", "estaban reservadas")}.`,
    given: (number: number) =>
      `Se ${plural(number, "cancela", "cancelan")} ${count(number)} ${plural(number, "reserva", "reservas")} sin pérdida.`,
    late: (number: number) =>
      `Se ${plural(number, "cancela", "cancelan")} ${count(number)} ${plural(number, "reserva", "reservas")} fuera de plazo: lo descontado no vuelve.`,
    noSlots: "No hay tal clase en estos días.",
    slot: (date: string, time: string, why: string) => `${date}, ${time}: ${why}`,
    full: "completa",
    closed: "no tiene lugar",
    uncovered: "sin cobertura",
    uncoveredWhy: (reason: string) => `sin cobertura, ${reason}`,
    busy: "el profesor o la sala están ocupados",
    over: "terminada",
    other: "no se puede reservar",
    book: (number: number) => `Reservar ${count(number)} ${plural(number, "clase", "clases")}`,
    booked: (name: string, number: number) =>
      `${name}: ${count(number)} ${plural(number, "clase reservada", "clases reservadas")}.`,
    move: "Cambiar",
    moved: (name: string) => `El horario fijo de ${name} ha cambiado.`,
    moveTitle: (name: string) => `Cambiar el horario fijo de ${name}`,
    title: (name: string) => `Horario fijo para ${name}`,
  },
);
