import { dictionary } from "../languages/words.ts";

/** The words of what is printed. */
export const sheetWords = dictionary(
  { cancelled: "cancelled", uncovered: "uncovered", waiting: "Waiting" },
  { cancelled: "cancelada", uncovered: "sem cobertura", waiting: "Na espera" },
  { cancelled: "cancelada", uncovered: "sin cobertura", waiting: "En espera" },
);
