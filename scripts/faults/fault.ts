/** A mistake in the sources, and the tests that must catch it. */
export interface Fault {
  /** `<room>: <what goes wrong>`; unique. */
  readonly name: string;
  /**
   * Text of one file of `src/`, exactly as written: it must occur once, in one file. It identifies the place of the
   * mistake.
   */
  readonly find: string;
  /** Replacement text. */
  readonly replace: string;
  /** Test files of which at least one must fail. Use small ones: all of them are run for the fault. */
  readonly tests: readonly string[];
  /** Runs only tests whose full name matches this pattern: for slow files. Default: all of them. */
  readonly only?: string;
  /** The consequence of such a mistake for a user. */
  readonly why: string;
}
