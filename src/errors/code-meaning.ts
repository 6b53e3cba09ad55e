/**
 * Where a code comes from. A {@link Fault}: an error is thrown with it, and the fault decides the exit code. `definition`
 * and `contract`: a problem in the list that `PIPELINE_INVALID` or `CONTRACT_INVALID` carries. `state`: a problem with what
 * is kept, told beside the answer; nothing is thrown.
 */
export type CodeOrigin = Fault | 'definition' | 'contract' | 'state';

/** What a code stands for. Codes are stable; these texts are for people. */
export interface CodeMeaning {
  /** The first fault in it is that of an error which names no other. */
  readonly from: readonly CodeOrigin[];
  /** The title of its annotation; default: one that says whose fault it is. */
  readonly title?: string;
  /** One sentence. */
  readonly means: string;
  /** What to do about it: the hint of an error that has none of its own. */
  readonly remedy: string;
}

/**
 * Whose fault an error is. It decides the exit code and the tone of the message:
 * - `user`: a definition, an option or an input is wrong; the message says what to change.
 * - `agent`: the program that a gate runs did something wrong; the gate fails, Gateline does not.
 * - `platform`: disk, git, network or GitHub did not answer as it should; trying again may help.
 * - `gateline`: a bug of ours.
 */
export type Fault = 'user' | 'agent' | 'platform' | 'gateline';
