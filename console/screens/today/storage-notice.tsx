import { useMe } from "../../frame/me.ts";
import { count } from "../../languages/format.ts";
import { dictionary } from "../../languages/words.ts";
import { Notice } from "../../parts/notice.tsx";

const words = dictionary(
  {
    nearlyFull: (used: string, limit: string) =>
      `Little room is left: ${used} of ${limit} records are stored. At the limit no client, contract or class can be added; check-in goes on. An owner finds more under Settings.`,
    full: (used: string, limit: string) =>
      `There is no room left: ${used} of ${limit} records are stored. No client, contract or class can be added; check-in goes on. An owner finds more under Settings.`,
  },
  {
    nearlyFull: (used: string, limit: string) =>
      `Resta pouco espaço: ${used} de ${limit} registros estão guardados. No limite não se acrescenta cliente, contrato ou aula; o check-in continua. Um proprietário vê mais em Ajustes.`,
    full: (used: string, limit: string) =>
      `Não há mais espaço: ${used} de ${limit} registros estão guardados. Não se acrescenta cliente, contrato ou aula; o check-in continua. Um proprietário vê mais em Ajustes.`,
  },
  {
    nearlyFull: (used: string, limit: string) =>
      `Queda poco sitio: hay ${used} de ${limit} registros guardados. En el límite no se puede añadir cliente, contrato ni clase; el registro de entrada continúa. Un propietario ve más en Ajustes.`,
    full: (used: string, limit: string) =>
      `No queda sitio: hay ${used} de ${limit} registros guardados. No se puede añadir cliente, contrato ni clase; el registro de entrada continúa. Un propietario ve más en Ajustes.`,
  },
);

/** Before the desk is refused: how much room the organization has left. */
export function StorageNotice() {
  const t = words();
  const { storage } = useMe();
  if (!storage) return null;
  const { records, limit } = storage;
  const sentence = records >= limit ? t.full : t.nearlyFull;
  return <Notice tone="warning">{sentence(count(records), count(limit))}</Notice>;
}
