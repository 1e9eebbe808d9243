/** What a request was refused with, as the server words it. */
export interface ProblemBody {
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly reason?: string;
  readonly errors?: readonly { readonly location: string; readonly code: string; readonly message: string }[];
  /** The facts of a refusal: `capacity`, `clientId`, `uses` and others. */
  readonly [fact: string]: unknown;
}

/** A refusal or a failure that an answer told us of. */
export class Problem extends Error {
  readonly status: number;
  /** The fixed word of a refusal. */
  readonly reason: string | undefined;
  readonly body: ProblemBody;
  readonly retryAfterSeconds: number | undefined;

  constructor(body: ProblemBody, retryAfterSeconds?: number) {
    super(body.detail ?? body.title);
    this.status = body.status;
    this.reason = body.reason;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** What to say beside the field of a search: that of the only fault, which the sentence of the whole only counts. */
  get sentence(): string {
    const [only, ...others] = this.body.errors ?? [];
    return only && others.length === 0 ? only.message : this.message;
  }

  /** The sentence for a member of the body, such as `contactName` or `entitlements[0].type`. */
  faultAt(member: string): string | undefined {
    return this.body.errors?.find(({ location }) => location === `body.${member}`)?.message;
  }

  /** What is wrong with members that no field of the form shows. */
  faultsBeside(members: readonly string[]): readonly { location: string; message: string }[] {
    const shown = new Set(members.map((member) => `body.${member}`));
    return (this.body.errors ?? []).filter(({ location }) => !shown.has(location));
  }
}

/** The server could not be reached. */
export class ConnectionLost extends Error {}
