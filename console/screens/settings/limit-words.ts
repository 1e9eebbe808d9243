import { count } from "../../languages/format.ts";
import { dictionary } from "../../languages/words.ts";

/** What an owner reads of the limits and the use of the organization. */
export const limitWords = dictionary(
  {
    title: "Limits and use",
    text: "The operator of this server can change the limits.",
    storage: "Records",
    storageText:
      "Clients, contracts, plans, the timetable and classes that took place, archived ones included.",
    uploads: "Uploads today",
    requests: "Requests of API keys today",
    of: (used: string, limit: string) => `${used} of ${limit}`,
    perMinute: (number: number) => `at most ${count(number)} a minute`,
    none: "no limit",
    nearlyFull:
      "There is little room left. At the limit nothing can be added; what is stored stays as it is.",
    full: "There is no room left: nothing can be added. What is stored can be read, changed and erased.",
  },
  {
    title: "Limites e uso",
    text: "O operador deste servidor pode mudar os limites.",
    storage: "Registros",
    storageText: "Clientes, contratos, planos, a grade e as aulas realizadas, inclusive os arquivados.",
    uploads: "Envios de hoje",
    requests: "Requisições das chaves de API hoje",
    of: (used: string, limit: string) => `${used} de ${limit}`,
    perMinute: (number: number) => `no máximo ${count(number)} por minuto`,
    none: "sem limite",
    nearlyFull:
      "Resta pouco espaço. No limite nada pode ser acrescentado; o que está guardado fica como está.",
    full: "Não há mais espaço: nada pode ser acrescentado. O que está guardado pode ser lido, alterado e apagado.",
  },
  {
    title: "Límites y uso",
    text: "El operador de este servidor puede cambiar los límites.",
    storage: "Registros",
    storageText: "Clientes, contratos, planes, el horario y las clases dadas, incluidos los archivados.",
    uploads: "Subidas de hoy",
    requests: "Solicitudes de las claves de API hoy",
    of: (used: string, limit: string) => `${used} de ${limit}`,
    perMinute: (number: number) => `como máximo ${count(number)} por minuto`,
    none: "sin límite",
    nearlyFull: "Queda poco sitio. En el límite no se puede añadir nada; lo guardado se queda como está.",
    full: "No queda sitio: no se puede añadir nada. Lo guardado se puede leer, cambiar y borrar.",
  },
);
