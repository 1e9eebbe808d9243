import { isLanguageChosen, language } from "../languages/words.ts";
import { attention } from "./attention.ts";
import { ConnectionLost, Problem, type ProblemBody } from "./problem.ts";

export interface RequestOptions {
  readonly method?: "GET" | "POST";
  /** Sent as JSON, unless it is a form with a file. */
  readonly body?: unknown;
  readonly key?: string | undefined;
  /** The form of the answer, if not JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** One request to the staff application. Throws a `Problem` if it is refused, `ConnectionLost` if nothing answers. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  return whole(await respond(path, options), (answer) => answer.json() as Promise<Answer>, options);
}

/** The same for a file. */
export async function requestFile(path: string, options: RequestOptions): Promise<Blob> {
  return whole(await respond(path, options), (answer) => answer.blob(), options);
}

async function respond(path: string, options: RequestOptions): Promise<Response> {
  const { method = "GET", body, key, accept, signal } = options;
  const isForm = body instanceof FormData;
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: {
        // A read has no header of its own unless it needs one: what the page asked for ahead of us is the same request then.
        ...(isLanguageChosen() && { "accept-language": language.value }),
        ...attention(),
        // That of a form has its boundary, which the browser chooses.
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
        ...(accept !== undefined && { accept }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost();
  }
  if (answer.ok) return answer;
  throw await readProblem(answer);
}

/** A connection that breaks in the middle of an answer is lost too. */
async function whole<Content>(
  answer: Response,
  read: (answer: Response) => Promise<Content>,
  { signal }: RequestOptions,
): Promise<Content> {
  try {
    return await read(answer);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost();
  }
}

async function readProblem(answer: Response): Promise<Error> {
  const retryAfter = Number(answer.headers.get("retry-after") ?? Number.NaN);
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  try {
    return new Problem((await answer.json()) as ProblemBody, seconds);
  } catch {
    // Something between us and the server answered in its place.
    if (answer.status >= 500) return new ConnectionLost();
    return new Problem({ title: answer.statusText, status: answer.status }, seconds);
  }
}
