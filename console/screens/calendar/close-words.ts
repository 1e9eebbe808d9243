import { dictionary, plural } from "../../languages/words.ts";

export const closeWords = dictionary(
  {
    leave: "Leave open",
    sessions: (number: number) =>
      plural(number, "1 session is cancelled.", `${number} sessions are cancelled.`),
    bookings: (number: number) =>
      plural(
        number,
        "1 booking ends, and the client is put on the list to tell.",
        `${number} bookings end, and their clients are put on the list to tell.`,
      ),
  },
  {
    leave: "Deixar aberto",
    sessions: (number: number) =>
      plural(number, "1 sessão é cancelada.", `${number} sessões são canceladas.`),
    bookings: (number: number) =>
      plural(
        number,
        "1 agendamento termina, e o cliente entra na lista de quem avisar.",
        `${number} agendamentos terminam, e os clientes entram na lista de quem avisar.`,
      ),
  },
  {
    leave: "Dejar abierto",
    sessions: (number: number) => plural(number, "Se cancela 1 sesión.", `Se cancelan ${number} sesiones.`),
    bookings: (number: number) =>
      plural(
        number,
        "Termina 1 reserva y el cliente pasa a la lista de avisos.",
        `Terminan ${number} reservas y sus clientes pasan a la lista de avisos.`,
      ),
  },
);
