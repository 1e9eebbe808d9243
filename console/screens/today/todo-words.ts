import { count } from "../../languages/format.ts";
import { dictionary, plural } from "../../languages/words.ts";

const counted = (number: number, one: string, other: string) =>
  `${count(number)} ${plural(number, one, other)}`;

/** The words of the lists of what is to do, which are fetched when one is opened. */
export const todoWords = dictionary(
  {
    explained: {
      toTell: "Whom the studio moved, cancelled or booked from the line, and who does not know yet.",
      uncovered: "Bookings that draw on no contract.",
      unmarked: "Past sessions without attendance.",
      ending: "Their last day is within 14 days.",
      overdue: "Imported as running, although their last day is over.",
    },
    session: (name: string, date: string, time: string) => `${name}, ${date} ${time}`,
    wasCancelled: "Cancelled:",
    wasMoved: "Moved to:",
    wasBooked: "Booked from the line:",
    told: "Told",
    allTold: "All of these were told",
    wasTold: (name: string) => `${name} was told.`,
    wereTold: (number: number) => `${counted(number, "person was", "people were")} told.`,
    cover: "Cover",
    open: "Open",
    endsOn: (date: string) => `ends ${date}`,
    endedOn: (date: string) => `ended ${date}`,
    first: (shown: string, total: string) => `The first ${shown} of ${total}.`,
  },
  {
    explained: {
      toTell: "Quem o estúdio remarcou, cancelou ou agendou da fila e ainda não sabe.",
      uncovered: "Agendamentos que não descontam de nenhum contrato.",
      unmarked: "Sessões encerradas em que ninguém marcou quem veio.",
      ending: "O último dia é dentro de 14 dias.",
      overdue: "Importados como ativos, embora o último dia já tenha passado.",
    },
    session: (name: string, date: string, time: string) => `${name}, ${date} às ${time}`,
    wasCancelled: "Cancelada:",
    wasMoved: "Remarcada para:",
    wasBooked: "Agendado(a) da fila:",
    told: "Avisado",
    allTold: "Todos estes foram avisados",
    wasTold: (name: string) => `${name} foi avisado(a).`,
    wereTold: (number: number) => `${counted(number, "pessoa avisada", "pessoas avisadas")}.`,
    cover: "Cobrir",
    open: "Abrir",
    endsOn: (date: string) => `termina em ${date}`,
    endedOn: (date: string) => `terminou em ${date}`,
    first: (shown: string, total: string) => `Os primeiros ${shown} de ${total}.`,
  },
  {
    explained: {
      toTell: "A quien el estudio movió, canceló o reservó de la lista y aún no lo sabe.",
      uncovered: "Reservas que no descuentan de ningún contrato.",
      unmarked: "Sesiones terminadas en las que nadie marcó quién vino.",
      ending: "Su último día es dentro de 14 días.",
      overdue: "Importados como activos, aunque su último día ya pasó.",
    },
    session: (name: string, date: string, time: string) => `${name}, ${date} a las ${time}`,
    wasCancelled: "Cancelada:",
    wasMoved: "Movida a:",
    wasBooked: "Reservada desde la lista:",
    told: "Avisado",
    allTold: "Se avisó a todos estos",
    wasTold: (name: string) => `Se avisó a ${name}.`,
    wereTold: (number: number) => `Se avisó a ${counted(number, "persona", "personas")}.`,
    cover: "Cubrir",
    open: "Abrir",
    endsOn: (date: string) => `termina el ${date}`,
    endedOn: (date: string) => `terminó el ${date}`,
    first: (shown: string, total: string) => `Los primeros ${shown} de ${total}.`,
  },
);
