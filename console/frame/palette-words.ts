import { dictionary } from "../languages/words.ts";

/** What the palette offers beside screens, people and sessions. */
export const paletteWords = dictionary(
  {
    actions: {
      newClient: "New client",
      sell: "Sell a plan",
      newSchedule: "New class on the timetable",
      newPlan: "New plan",
    },
    archived: "Archived",
    recent: "Recent",
  },
  {
    actions: {
      newClient: "Novo cliente",
      sell: "Vender um plano",
      newSchedule: "Nova aula na grade",
      newPlan: "Novo plano",
    },
    archived: "Arquivado",
    recent: "Recente",
  },
  {
    actions: {
      newClient: "Cliente nuevo",
      sell: "Vender un plan",
      newSchedule: "Clase nueva en el horario",
      newPlan: "Plan nuevo",
    },
    archived: "Archivado",
    recent: "Reciente",
  },
);
