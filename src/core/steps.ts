/** A part of a request, by `performance.now()`. */
export interface Step {
  readonly name: string;
  readonly begunAt: number;
  readonly endedAt: number;
  readonly hasFailed: boolean;
}

/** What a request does, one by one, if it is traced. */
export interface NotedSteps {
  readonly steps?: Step[];
}

/** Of one request; an import has thousands. */
const MOST_STEPS = 200;

/** Notes a step of a request that is traced; of others it costs a look. */
export function noteStep(
  noted: NotedSteps | undefined,
  name: string,
  begunAt: number,
  hasFailed = false,
): void {
  const steps = noted?.steps;
  if (steps && steps.length < MOST_STEPS)
    steps.push({ name, begunAt, endedAt: performance.now(), hasFailed });
}

/** By the name that the statement has in the database too; one that is planned for its values each time has none. */
export function noteStatement(
  noted: NotedSteps,
  { name }: { readonly name: string },
  begunAt: number,
  hasFailed: boolean,
): void {
  if (noted.steps) noteStep(noted, `rollbook:${name || "unnamed"}`, begunAt, hasFailed);
}
