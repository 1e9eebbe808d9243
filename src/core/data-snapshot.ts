/** The classes of an organization's data. Each has a version that grows with every write to it. */
export type DataClass = "catalog" | "clients";

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
