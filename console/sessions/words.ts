import { dictionary, plural } from "../languages/words.ts";

export const words = dictionary(
  {
    serviceType: "Service",
    location: "Location",
    allLocations: "All locations",
    allServiceTypes: "All services",
    resource: "With",
    allResources: "Everybody and every room",
    choose: "Choose",
    durationMinutes: "Length in minutes",
    capacity: "Seats",
    kinds: { person: "Teachers", room: "Rooms", equipment: "Equipment" },
    noResources: "Nobody and nothing yet: teachers and rooms are added under Plans and services.",
    ownClock: (zone: string) => `Times are on the clock of this location (${zone}).`,
    counting: "Looking at what this changes",
    credits: (number: number) => plural(number, "1 credit goes back.", `${number} credits go back.`),
    promoted: (number: number) =>
      plural(number, "1 person comes off the waiting list.", `${number} people come off the waiting list.`),
  },
  {
    serviceType: "Serviço",
    location: "Unidade",
    allLocations: "Todas as unidades",
    allServiceTypes: "Todos os serviços",
    resource: "Com",
    allResources: "Todas as pessoas e salas",
    choose: "Escolha",
    durationMinutes: "Duração em minutos",
    capacity: "Vagas",
    kinds: { person: "Professores", room: "Salas", equipment: "Equipamentos" },
    noResources: "Ninguém e nada ainda: professores e salas são cadastrados em Planos e serviços.",
    ownClock: (zone: string) => `Os horários são os desta unidade (${zone}).`,
    counting: "Verificando o que isso muda",
    credits: (number: number) =>
      plural(number, "1 crédito é devolvido.", `${number} créditos são devolvidos.`),
    promoted: (number: number) =>
      plural(number, "1 pessoa sai da lista de espera.", `${number} pessoas saem da lista de espera.`),
  },
  {
    serviceType: "Servicio",
    location: "Sede",
    allLocations: "Todas las sedes",
    allServiceTypes: "Todos los servicios",
    resource: "Con",
    allResources: "Todas las personas y salas",
    choose: "Elija",
    durationMinutes: "Duración en minutos",
    capacity: "Plazas",
    kinds: { person: "Profesores", room: "Salas", equipment: "Equipos" },
    noResources: "Todavía nadie ni nada: los profesores y las salas se añaden en Planes y servicios.",
    ownClock: (zone: string) => `Los horarios son los de esta sede (${zone}).`,
    counting: "Comprobando qué cambia",
    credits: (number: number) => plural(number, "Se devuelve 1 crédito.", `Se devuelven ${number} créditos.`),
    promoted: (number: number) =>
      plural(
        number,
        "1 persona sale de la lista de espera.",
        `${number} personas salen de la lista de espera.`,
      ),
  },
);
