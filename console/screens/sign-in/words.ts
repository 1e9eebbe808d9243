import { dictionary } from "../../languages/words.ts";

export const words = dictionary(
  {
    title: "Sign in",
    email: "E-mail",
    password: "Password",
    signIn: "Sign in",
    which: "Which organization?",
    forgot: "Lost your password? An owner can make you a new link under “Staff and settings”.",
    lost: "No connection. Please try again.",
    byPasskey: "Sign in with a passkey",
  },
  {
    title: "Entrar",
    email: "E-mail",
    password: "Senha",
    signIn: "Entrar",
    which: "Qual organização?",
    forgot: "Esqueceu a senha? Um proprietário pode criar um novo link em “Equipe e ajustes”.",
    lost: "Sem conexão. Tente de novo.",
    byPasskey: "Entrar com chave de acesso",
  },
  {
    title: "Iniciar sesión",
    email: "Correo electrónico",
    password: "Contraseña",
    signIn: "Entrar",
    which: "¿Qué organización?",
    forgot: "¿Olvidó la contraseña? Un propietario puede crear un enlace nuevo en “Equipo y ajustes”.",
    lost: "Sin conexión. Inténtelo de nuevo.",
    byPasskey: "Entrar con llave de acceso",
  },
);
