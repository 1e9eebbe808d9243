import { dictionary } from "../../languages/words.ts";

/** What an owner changes of the organization itself. */
export const organizationWords = dictionary(
  {
    title: "The organization",
    name: "Name of the organization",
    timezone: "Time zone",
    timezoneHint:
      "Days begin and contracts end by these clocks. Each location has its own clock for its classes.",
    currency: "Currency",
    currencyHint: "It can change while no plan, running contract, invoice or payment has an amount in it.",
    save: "Save organization",
    saved: "The organization is saved.",
  },
  {
    title: "A organização",
    name: "Nome da organização",
    timezone: "Fuso horário",
    timezoneHint:
      "Os dias começam e os contratos terminam por este relógio. Cada unidade tem o seu para as aulas.",
    currency: "Moeda",
    currencyHint:
      "Pode mudar enquanto nenhum plano, contrato em curso, cobrança ou pagamento tem valor nela.",
    save: "Salvar organização",
    saved: "A organização foi salva.",
  },
  {
    title: "La organización",
    name: "Nombre de la organización",
    timezone: "Zona horaria",
    timezoneHint:
      "Los días empiezan y los contratos terminan según este reloj. Cada sede tiene el suyo para sus clases.",
    currency: "Moneda",
    currencyHint:
      "Puede cambiar mientras ningún plan, contrato en curso, cobro o pago tenga un importe en ella.",
    save: "Guardar organización",
    saved: "La organización está guardada.",
  },
);
