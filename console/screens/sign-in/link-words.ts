import { dictionary } from "../../languages/words.ts";

export const linkWords = dictionary(
  {
    welcome: "Choose a password",
    welcomeText:
      "It lets you sign in from now on. A sentence of your own is easy to remember and hard to guess.",
    holder: (name: string, organization: string) => `For ${name}, at ${organization}.`,
    newPassword: "New password",
    passwordHint: "At least 12 characters.",
    signIn: "Sign in",
    enter: "Save and sign in",
    linkUsed:
      "This link has been used or has expired. Ask the person who gave it to you for a new one, or sign in.",
  },
  {
    welcome: "Escolha uma senha",
    welcomeText:
      "Com ela você entra daqui em diante. Uma frase sua é fácil de lembrar e difícil de adivinhar.",
    holder: (name: string, organization: string) => `Para ${name}, em ${organization}.`,
    newPassword: "Nova senha",
    passwordHint: "Pelo menos 12 caracteres.",
    signIn: "Entrar",
    enter: "Salvar e entrar",
    linkUsed: "Este link já foi usado ou venceu. Peça outro a quem o enviou, ou entre com sua senha.",
  },
  {
    welcome: "Elija una contraseña",
    welcomeText:
      "Con ella podrá entrar de ahora en adelante. Una frase propia es fácil de recordar y difícil de adivinar.",
    holder: (name: string, organization: string) => `Para ${name}, en ${organization}.`,
    newPassword: "Nueva contraseña",
    passwordHint: "Al menos 12 caracteres.",
    signIn: "Entrar",
    enter: "Guardar y entrar",
    linkUsed: "Este enlace ya se usó o ha caducado. Pida otro a quien se lo dio, o inicie sesión.",
  },
);
