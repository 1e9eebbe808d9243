/** All records of a list, from one snapshot of the data. */
export interface RecordStream<Item> {
  /** How many will follow. */
  readonly total: number;
  /** The version that the data had in the snapshot. */
  readonly version: number;
  /** From where the change feed goes on after them. */
  readonly cursor?: string;
  readonly batches: AsyncIterable<readonly Item[]>;
}

/** Takes the records while their snapshot is held; it may be let go when this is done. */
export type TakeRecords<Item> = (records: RecordStream<Item>) => Promise<void>;
