/**
 * The classes of an organization's data. Each has a version that grows with every write to it. The catalog is all that is
 * in no other class: the organization, its locations, service types, groups, plans and schedules.
 */
export type DataClass = "catalog" | "clients" | "contracts" | "sessions";

/** What was read in one snapshot of an organization's data, with the version that the data had there. */
export class Snapshot<Content> {
  readonly content: Content;
  /** The sum over the classes of data that were read. */
  readonly version: number;

  constructor(content: Content, version: number) {
    this.content = content;
    this.version = version;
  }
}
