import { dictionary } from "../languages/words.ts";
import { Problem } from "./problem.ts";

const words = dictionary(
  { unexpected: "Something went wrong that should not. Please try again, or load the page again." },
  { unexpected: "Algo deu errado que não devia. Tente de novo ou recarregue a página." },
  { unexpected: "Algo salió mal que no debía. Inténtelo de nuevo o vuelva a cargar la página." },
);

/** What to show of something that was thrown: a refusal as it is, and anything else as one sentence that can be left. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  reportError(error);
  return new Problem({ title: words().unexpected, status: 0 });
}
