/**
 * What a caller demands of a record before it is changed. It is asked while the record is locked: after it was found,
 * before conflicts with other records are looked for.
 */
export interface Precondition {
  /** Whether anything is demanded: if not, the record need not be read. */
  readonly isGiven: boolean;
  /**
   * Throws if the record, as it is now, is not what the caller has read. If it is already what the change would make of
   * it, it need not be: nothing would be overwritten, and a lost answer can be asked for again.
   */
  check(current: object, isUnchanged: boolean): void;
}
