/** Why files are written into the user's folder, and for which run. */
export interface PutReason {
  readonly what: 'apply' | 'rollback';
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
  /** The definition, as `--file` names it. Absent: one with a default name; the records of others are apart. */
  readonly file?: string | undefined;
  /** The gate that a rollback goes back to; absent: to the start. */
  readonly to?: string | undefined;
  /** Ids of the gates whose files are applied; absent: all. */
  readonly gates?: readonly string[] | undefined;
  /** The database is restored before the files. */
  readonly database?: true | undefined;
  /** The last call of the run before this one: records of this one have a later one. */
  readonly call?: number | undefined;
  /** ISO 8601. */
  readonly at: string;
}
