import { dictionary } from "../../languages/words.ts";

export const askedWords = dictionary(
  {
    password: "Password",
    endedTitle: "Please sign in again",
    endedText: "Your sign-in has ended. What you entered is still here.",
    confirmTitle: "Your password, please",
    confirmText: "This needs the password again. It then holds for 15 minutes.",
    confirm: "Continue",
    cancel: "Cancel",
    passkeyInstead: "Use a passkey",
  },
  {
    password: "Senha",
    endedTitle: "Entre novamente",
    endedText: "Seu acesso terminou. O que você digitou continua aqui.",
    confirmTitle: "Sua senha, por favor",
    confirmText: "Isto pede a senha de novo. Depois ela vale por 15 minutos.",
    confirm: "Continuar",
    cancel: "Cancelar",
    passkeyInstead: "Usar chave de acesso",
  },
  {
    password: "Contraseña",
    endedTitle: "Inicie sesión de nuevo",
    endedText: "Su sesión ha terminado. Lo que escribió sigue aquí.",
    confirmTitle: "Su contraseña, por favor",
    confirmText: "Esto requiere la contraseña otra vez. Después vale durante 15 minutos.",
    confirm: "Continuar",
    cancel: "Cancelar",
    passkeyInstead: "Usar llave de acceso",
  },
);
