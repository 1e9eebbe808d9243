/** What a request was refused with, as the server words it. */
export interface ProblemBody {
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly reason?: string;
  readonly errors?: readonly {
    readonly location: string;
    readonly code: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly message: string;
  }[];
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

  /** The sentence for a member of the body, such as `contactName` or `entitlements[0].type`; of a list also that of an item. */
  faultAt(member: string): string | undefined {
    return this.body.errors?.find(({ location }) => placesOf(location).includes(`body.${member}`))?.message;
  }

  /** The same, with the labels of fields where the server's sentences name members: nobody at a desk knows `firstDay`. */
  named(labels: Readonly<Record<string, string>>): Problem {
    const errors = this.body.errors?.map((fault) => {
      const member = String(fault.params?.member);
      const label = labels[member];
      if (label === undefined || !fault.message.endsWith(member)) return fault;
      return { ...fault, message: `${fault.message.slice(0, -member.length)}“${label}”` };
    });
    return errors ? new Problem({ ...this.body, errors }, this.retryAfterSeconds) : this;
  }

  /** What is wrong with members that no field of the form shows. */
  faultsBeside(members: readonly string[]): readonly { location: string; message: string }[] {
    const shown = new Set(members.map((member) => `body.${member}`));
    return (this.body.errors ?? []).filter(
      ({ location }) => !placesOf(location).some((place) => shown.has(place)),
    );
  }
}

/** Where a fault can be shown: at the item of a list, or at the field of the whole list. */
const placesOf = (location: string) => [location, location.replace(/\[\d+\]$/, "")];

/** The server could not be reached. */
export class ConnectionLost extends Error {}
