import { dictionary } from "../../languages/words.ts";

/** How an owner comes in again. */
export const lostOwnerWords = dictionary(
  {
    lostTitle: "If an owner loses everything",
    lostText:
      "Somebody who lost their password and their passkeys needs a new link. Another owner makes it here, under “New link”.",
    lostAlone:
      "You are the only owner: nobody here could let you in again. Make somebody you trust an owner too, or keep this command.",
    lostCommand: "Whoever runs the server enters this; it prints a link that works once",
  },
  {
    lostTitle: "Se um proprietário perder tudo",
    lostText:
      "Quem perdeu a senha e as chaves de acesso precisa de um novo link. Outro proprietário o cria aqui, em “Novo link”.",
    lostAlone:
      "Você é o único proprietário: ninguém aqui poderia deixar você entrar de novo. Torne proprietária mais uma pessoa de confiança ou guarde este comando.",
    lostCommand: "Quem administra o servidor digita isto; ele mostra um link que vale uma vez",
  },
  {
    lostTitle: "Si un propietario lo pierde todo",
    lostText:
      "Quien perdió la contraseña y las llaves de acceso necesita un enlace nuevo. Otro propietario lo crea aquí, en «Nuevo enlace».",
    lostAlone:
      "Usted es el único propietario: nadie aquí podría dejarle entrar de nuevo. Haga propietaria a otra persona de confianza o guarde esta orden.",
    lostCommand: "Quien administra el servidor escribe esto; muestra un enlace que sirve una vez",
  },
);
