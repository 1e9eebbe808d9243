import { demand, needs } from "./check.ts";
import type { Asked, Connection, Exchange } from "./exchange.ts";
import { isObject, type Json } from "./shapes.ts";

/** A list as it came. */
export interface List extends Json {
  readonly data: readonly Json[];
  readonly total: number;
}

/** How many records of a list are looked at. */
const SAMPLE = 100;
/** How far the calendar is looked at. */
const DAYS = 28;
const DAY_MS = 86_400_000;

/** What a run has learned, shared by its checks: the same address is not asked twice for samples. */
export class Samples {
  readonly known = new Map<string, Promise<Exchange>>();
  /** The clients that were made, to be archived at the end. */
  readonly made = new Set<string>();
  /** The middle of the calendar that is looked at. */
  readonly around: number;

  constructor(around: number) {
    this.around = around;
  }
}

/** What a check asks the server by. It keeps what was asked and what came, for the report. */
export class Probe {
  readonly exchanges: Exchange[] = [];
  readonly #connection: Connection;
  readonly #samples: Samples;

  constructor(connection: Connection, samples: Samples) {
    this.#connection = connection;
    this.#samples = samples;
  }

  async send(method: string, path: string, asked: Asked = {}): Promise<Exchange> {
    const exchange = await this.#connection.send(method, path, asked);
    this.exchanges.push(exchange);
    return exchange;
  }

  /** What was wrong with answers that asked to wait. */
  rateFaults(): string[] {
    return [...this.#connection.rateFaults];
  }

  /** The key under another name of the scheme. */
  credential(scheme: string): string {
    return this.#connection.credential(scheme);
  }

  get(path: string, asked: Asked = {}): Promise<Exchange> {
    return this.send("GET", path, asked);
  }

  /** A GET that must be 200 with an object. */
  async read(path: string): Promise<Json> {
    return this.#bodyOf(await this.get(path));
  }

  async list(path: string): Promise<List> {
    return this.#listOf(await this.get(path));
  }

  /** The same, asked once in a run: for what checks look at and do not change. */
  async sample(path: string): Promise<Exchange> {
    const { known } = this.#samples;
    const asked = known.get(path) ?? this.#connection.send("GET", path);
    known.set(path, asked);
    const exchange = await asked;
    this.exchanges.push(exchange);
    return exchange;
  }

  async sampleOf(path: string): Promise<Json> {
    return this.#bodyOf(await this.sample(path));
  }

  async sampleList(path: string): Promise<List> {
    return this.#listOf(await this.sample(path));
  }

  organization = () => this.sampleOf("/v1/organization");
  locations = () => this.sampleList("/v1/locations");
  plans = () => this.sampleList(`/v1/plans?limit=${SAMPLE}`);
  serviceTypes = () => this.sampleList(`/v1/service-types?limit=${SAMPLE}`);
  contracts = () => this.sampleList(`/v1/contracts?limit=${SAMPLE}`);
  clients = () => this.sampleList(`/v1/clients?limit=${SAMPLE}`);
  sessions = () => this.sampleList(calendarPath(this.window()));

  /** Two weeks before and after now, on whole seconds. */
  window(): { readonly from: string; readonly to: string } {
    const { around } = this.#samples;
    const at = (days: number) => new Date(Math.floor(around / 1000) * 1000 + days * DAY_MS).toISOString();
    return { from: at(-DAYS / 2), to: at(DAYS / 2) };
  }

  /** Makes a client that is archived when the run is over. */
  async create(body: unknown, asked: Asked = {}): Promise<Exchange> {
    const exchange = await this.send("POST", "/v1/clients", { ...asked, body });
    const id = isObject(exchange.body) ? exchange.body.id : undefined;
    if (exchange.status === 201 && typeof id === "string") this.#samples.made.add(id);
    return exchange;
  }

  /** The same, which must succeed. */
  async created(body: Json): Promise<Json> {
    const exchange = await this.create(body);
    demand(exchange.status === 201, `POST /v1/clients answered ${exchange.status} to a good client, not 201`);
    demand(isObject(exchange.body), "the answer to POST /v1/clients is not an object");
    return exchange.body;
  }

  /** The member by which a client names its locations; none where there is exactly one location. */
  async home(): Promise<{ readonly locationIds?: readonly unknown[] }> {
    const { data } = await this.locations();
    needs(data.length > 0, "the organization has no location, which every client needs");
    return data.length === 1 ? {} : { locationIds: [data[0]?.id] };
  }

  #bodyOf({ method, path, status, body }: Exchange): Json {
    demand(status === 200, `${method} ${path} answered ${status}, not 200`);
    demand(isObject(body), `the body of ${method} ${path} is not a JSON object`);
    return body;
  }

  #listOf(exchange: Exchange): List {
    const body = this.#bodyOf(exchange);
    const { method, path } = exchange;
    demand(Array.isArray(body.data), `${method} ${path} has no array data`);
    demand(body.data.every(isObject), `data of ${method} ${path} has records that are not objects`);
    demand(Number.isSafeInteger(body.total), `total of ${method} ${path} is not an integer`);
    return body as List;
  }
}

export function calendarPath(query: Readonly<Record<string, string>>): string {
  return `/v1/calendar?${new URLSearchParams(query)}`;
}
