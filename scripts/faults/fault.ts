/** A mistake that somebody could make in the sources, and the tests that must not let it through. */
export interface Fault {
  /** `<room>: <what goes wrong>`; unique. */
  readonly name: string;
  /** Text of one file of `src/`, exactly as it stands there: once, and in no other file. It says where the mistake is made. */
  readonly find: string;
  /** What is in its place. */
  readonly replace: string;
  /** Test files of which at least one must go red. Small ones: all of them are run for the fault. */
  readonly tests: readonly string[];
  /** Only tests whose full name matches this pattern are run: for slow files. Default: all of them. */
  readonly only?: string;
  /** What such a mistake would cost a user. */
  readonly why: string;
}
