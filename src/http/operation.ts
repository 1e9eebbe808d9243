import type { RouteOptions } from "fastify";
import type { TObject, TSchema } from "typebox";
import { refusal } from "../core/errors.ts";
import { noteStep } from "../core/steps.ts";
import { compileAnswerText } from "./answer-text.ts";
import type { Caller } from "./caller.ts";
import type { Operation, OperationScope } from "./declaration.ts";
import { HttpError } from "./http-error.ts";
import { DOWNLOAD_TYPES, negotiate } from "./negotiation.ts";
import { compileRead } from "./reads.ts";
import { compileWrite } from "./writes.ts";

/** Declares an operation, publishes it and serves it. */
export function operation<
  Who extends Caller,
  Path extends TObject,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  Facts = undefined,
>(scope: OperationScope<Who>, declared: Operation<Who, Path, Query, Body, Answer, Facts>): void {
  const { admit, document, stalls } = scope;
  const { method, download, operationId } = declared;
  const downloads = download ? (download.types ?? DOWNLOAD_TYPES) : [];
  const waits = declared.longestWaitMs !== undefined;
  // Its own types are those of its handler, which is given what they were read by.
  const general = declared as unknown as Operation<Who>;
  document.operations.push(general as unknown as Operation);
  const text = compileAnswerText(document, general);
  const answer = method === "GET" ? compileRead(scope, general, text) : compileWrite(scope, general, text);

  const route: RouteOptions = {
    method: method === "GET" ? ["GET", "HEAD"] : method,
    url: text.form.route,
    onRequest: (request, _reply, done) => {
      request.operationId = operationId;
      // The router takes `/v1/clients/` for a client whose id is empty.
      if (declared.params && hasEmptyParameter(request.params)) return done(nothingHere());
      admit(request, (verdict) => {
        if (request.times) {
          request.times.postgresMs += performance.now() - request.arrivedAt;
          noteStep(request.times, "gate", request.arrivedAt, verdict.refusal !== undefined);
        }
        request.caller = verdict.caller ?? null;
        request.identity = verdict.caller ?? verdict.refused ?? null;
        request.rate = verdict.rate ?? null;
        const refused = verdict.refusal ?? stalls.refusalOf(operationId, verdict.caller);
        if (refused || method !== "GET") return done(refused);
        const type = negotiate(request.headers.accept, downloads);
        if (type === undefined) return done(new HttpError("only_json"));
        request.answerType = type;
        done();
      });
    },
    handler: (request, reply) => {
      // Only this scope's gate, called above, sets it.
      const caller = request.caller as Who | null;
      if (!caller) throw new Error("an operation was reached without passing its gate");
      const place = stalls.begin(operationId, request, caller, waits);
      const end = () => stalls.end(place);
      let answered: Promise<void> | undefined;
      try {
        answered = answer(request, reply, caller);
      } finally {
        if (answered) answered.then(end, end);
        else end();
      }
      return answered;
    },
  };
  if (!declared.body?.file) scope.app.route(route);
  else
    scope.app.register(async (uploads) => {
      // A file is taken as it arrives, not gathered first.
      uploads.removeAllContentTypeParsers();
      uploads.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
      uploads.route(route);
    });
}

export function nothingHere(): Error {
  return refusal("nothing_here");
}

function hasEmptyParameter(params: unknown): boolean {
  for (const value of Object.values(params as Record<string, string>)) if (value === "") return true;
  return false;
}
