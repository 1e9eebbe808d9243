import { dictionary } from "../../languages/words.ts";

export const requestWords = dictionary(
  {
    text: "The last 7 days, without what was sent.",
    onlyFailed: "Only what failed",
    none: "Nothing came in the last 7 days.",
    noneFailed: "Nothing failed in the last 7 days.",
    milliseconds: (count: string) => `${count} ms`,
    moreFaults: (count: number) => (count === 1 ? "and one more" : `and ${count} more`),
    leftOut: (shown: string, count: number) =>
      count === 1
        ? "One more request came in the same seconds. Nothing else is kept of it."
        : `${shown} more requests came in the same seconds. Nothing else is kept of them.`,
    more: "Show older ones",
    meaning: "What the codes mean",
  },
  {
    text: "Os últimos 7 dias, sem o que foi enviado.",
    onlyFailed: "Só o que falhou",
    none: "Nada chegou nos últimos 7 dias.",
    noneFailed: "Nada falhou nos últimos 7 dias.",
    milliseconds: (count: string) => `${count} ms`,
    moreFaults: (count: number) => (count === 1 ? "e mais um" : `e mais ${count}`),
    leftOut: (shown: string, count: number) =>
      count === 1
        ? "Mais uma requisição chegou nos mesmos segundos. Nada mais se guarda dela."
        : `Mais ${shown} requisições chegaram nos mesmos segundos. Nada mais se guarda delas.`,
    more: "Mostrar anteriores",
    meaning: "O que os códigos significam",
  },
  {
    text: "Los últimos 7 días, sin lo que se envió.",
    onlyFailed: "Solo lo que falló",
    none: "No llegó nada en los últimos 7 días.",
    noneFailed: "No falló nada en los últimos 7 días.",
    milliseconds: (count: string) => `${count} ms`,
    moreFaults: (count: number) => (count === 1 ? "y uno más" : `y ${count} más`),
    leftOut: (shown: string, count: number) =>
      count === 1
        ? "Llegó una solicitud más en los mismos segundos. No se guarda nada más de ella."
        : `Llegaron ${shown} solicitudes más en los mismos segundos. No se guarda nada más de ellas.`,
    more: "Mostrar anteriores",
    meaning: "Qué significan los códigos",
  },
);
