import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf, subjectOf, type ToldBooking } from "../../console/screens/today/messages.ts";

const booking: ToldBooking = {
  change: "cancelled",
  clientName: "Ana Maria Souza",
  serviceTypeName: "Pilates",
  localStart: "2026-11-16 07:00",
  locationName: "Centro",
  reason: "Power cut",
};

test("people are told in the language that was chosen for them, with the reason that was typed", () => {
  assert.equal(
    messageOf("en", booking, "Estúdio Sol"),
    "Hello Ana, your booking for Pilates on Monday 16 November at 07:00 is cancelled.\nReason: Power cut\n– Estúdio Sol",
  );
  assert.equal(
    messageOf("pt-BR", { ...booking, change: "moved", reason: undefined }, "Estúdio Sol"),
    "Olá, Ana! Seu agendamento de Pilates mudou: agora é segunda-feira, 16 de novembro, às 07:00, em Centro.\n– Estúdio Sol",
  );
  assert.equal(
    messageOf("es", { ...booking, change: "booked", reason: undefined }, "Estúdio Sol"),
    "Hola, Ana: quedó libre una plaza y tiene reserva de Pilates el lunes, 16 de noviembre, a las 07:00, en Centro.\n– Estúdio Sol",
  );
  assert.equal(subjectOf("pt-BR", booking), "Pilates: cancelado");
});
