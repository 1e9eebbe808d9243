import type { Language } from "../../languages/languages.ts";
import { longDateIn } from "../../languages/long-date.ts";

/** What people are told, in the language that one chooses for them: another one perhaps than that of the pages. */

/** What became of a booking. */
export type ToldChange = "cancelled" | "moved" | "booked";

export interface ToldBooking {
  readonly change: ToldChange;
  readonly clientName: string;
  readonly serviceTypeName: string;
  readonly localStart: string;
  readonly locationName: string;
  /** As it was typed. */
  readonly reason?: string | undefined;
}

interface Parts {
  readonly name: string;
  readonly service: string;
  readonly date: string;
  readonly time: string;
  readonly place: string;
}

interface Sentences extends Readonly<Record<ToldChange, (parts: Parts) => string>> {
  readonly reason: (reason: string) => string;
  readonly subject: Readonly<Record<ToldChange, (service: string) => string>>;
}

const SENTENCES: Record<Language, Sentences> = {
  en: {
    cancelled: ({ name, service, date, time }) =>
      `Hello ${name}, your booking for ${service} on ${date} at ${time} is cancelled.`,
    moved: ({ name, service, date, time, place }) =>
      `Hello ${name}, your booking for ${service} is now on ${date} at ${time}, at ${place}.`,
    booked: ({ name, service, date, time, place }) =>
      `Hello ${name}, a place came free: you are booked for ${service} on ${date} at ${time}, at ${place}.`,
    reason: (reason) => `Reason: ${reason}`,
    subject: {
      cancelled: (service) => `${service}: cancelled`,
      moved: (service) => `${service}: another time or place`,
      booked: (service) => `${service}: you are booked`,
    },
  },
  "pt-BR": {
    cancelled: ({ name, service, date, time }) =>
      `Olá, ${name}! Seu agendamento de ${service} (${date}, às ${time}) foi cancelado.`,
    moved: ({ name, service, date, time, place }) =>
      `Olá, ${name}! Seu agendamento de ${service} mudou: agora é ${date}, às ${time}, em ${place}.`,
    booked: ({ name, service, date, time, place }) =>
      `Olá, ${name}! Abriu uma vaga: seu agendamento de ${service} é para ${date}, às ${time}, em ${place}.`,
    reason: (reason) => `Motivo: ${reason}`,
    subject: {
      cancelled: (service) => `${service}: cancelado`,
      moved: (service) => `${service}: novo horário ou local`,
      booked: (service) => `${service}: você tem vaga`,
    },
  },
  es: {
    cancelled: ({ name, service, date, time }) =>
      `Hola, ${name}: su reserva de ${service} del ${date}, a las ${time}, se ha cancelado.`,
    moved: ({ name, service, date, time, place }) =>
      `Hola, ${name}: su reserva de ${service} pasa al ${date}, a las ${time}, en ${place}.`,
    booked: ({ name, service, date, time, place }) =>
      `Hola, ${name}: quedó libre una plaza y tiene reserva de ${service} el ${date}, a las ${time}, en ${place}.`,
    reason: (reason) => `Motivo: ${reason}`,
    subject: {
      cancelled: (service) => `${service}: cancelada`,
      moved: (service) => `${service}: otra hora u otro lugar`,
      booked: (service) => `${service}: tiene reserva`,
    },
  },
};

/** A sentence, the reason if one was typed, and from whom it is. */
export function messageOf(language: Language, booking: ToldBooking, studio: string): string {
  const { change, clientName, serviceTypeName, localStart, locationName, reason } = booking;
  const t = SENTENCES[language];
  const sentence = t[change]({
    name: clientName.trim().split(/\s+/)[0] ?? "",
    service: serviceTypeName,
    date: longDateIn(language, localStart),
    time: localStart.slice("2026-11-16 ".length, "2026-11-16 07:00".length),
    place: locationName,
  });
  return [sentence, ...(reason ? [t.reason(reason)] : []), `– ${studio}`].join("\n");
}

export function subjectOf(
  language: Language,
  { change, serviceTypeName }: Pick<ToldBooking, "change" | "serviceTypeName">,
): string {
  return SENTENCES[language].subject[change](serviceTypeName);
}
