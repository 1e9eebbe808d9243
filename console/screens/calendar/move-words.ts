import { dictionary, plural } from "../../languages/words.ts";

export const moveWords = dictionary(
  {
    nobody: "Nobody is booked.",
    booked: (number: number) =>
      plural(
        number,
        "1 person is booked: they keep their seat, are put on the list to tell, and may cancel without loss.",
        `${number} people are booked: they keep their seats, are put on the list to tell, and may cancel without loss.`,
      ),
  },
  {
    nobody: "Ninguém está agendado.",
    booked: (number: number) =>
      plural(
        number,
        "1 pessoa está agendada: ela mantém a vaga, entra na lista de quem avisar e pode cancelar sem perda.",
        `${number} pessoas estão agendadas: elas mantêm a vaga, entram na lista de quem avisar e podem cancelar sem perda.`,
      ),
  },
  {
    nobody: "Nadie tiene reserva.",
    booked: (number: number) =>
      plural(
        number,
        "1 persona tiene reserva: conserva su plaza, pasa a la lista de avisos y puede cancelar sin perder nada.",
        `${number} personas tienen reserva: conservan su plaza, pasan a la lista de avisos y pueden cancelar sin perder nada.`,
      ),
  },
);
