/**
 * Where a code comes from. A {@link Fault}: an error is thrown with it, and the fault decides the exit code.
 * `definition` and `contract`: a problem in the list that `PIPELINE_INVALID` or `CONTRACT_INVALID` carries. `state`: a
 * problem with stored data, reported with the result; nothing is thrown.
 */
export type CodeOrigin = Fault | 'definition' | 'contract' | 'state';

/** The meaning of a code. Codes are stable; these texts are for people. */
export interface CodeMeaning {
  /** The first fault is the default for an error without its own. */
  readonly from: readonly CodeOrigin[];
  /** The title of its annotation; default: a title that names the party at fault. */
  readonly title?: string;
  /** One sentence. */
  readonly means: string;
  /** What to do about it: the hint of an error without its own. */
  readonly remedy: string;
}

/**
 * Whose fault an error is. It determines the exit code and the tone of the message:
 * - `user`: a definition, an option or an input is wrong; the message says what to change.
 * - `agent`: the program that a gate runs did something wrong; the gate fails, Gateline does not.
 * - `platform`: disk, git, network or GitHub did not work as expected; retrying may help.
 * - `gateline`: our own bug.
 */
export type Fault = 'user' | 'agent' | 'platform' | 'gateline';
