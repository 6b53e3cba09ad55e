import type { CallOptions } from '../call/call.ts';
import type { Digest } from '../../json/digest.ts';
import type { HiddenBy } from '../../run/records/reading.ts';

/** The facts about other jobs that a job of a CI run uses for its gate. */
export interface JobCall {
  readonly call: CallOptions & Required<Pick<CallOptions, 'numbers'>>;
  /** Gates that only other jobs define: everything known about them, including their contracts, is in their records. */
  readonly recorded?: ReadonlySet<string>;
  /** Digests of outputs, by gate, that did not come from the records: outputs of the needed jobs. They must match. */
  readonly digests?: ReadonlyMap<string, Digest>;
  /** The commit that definition and contracts are read from: the claim's token says it to the steps after the agent. */
  readonly commit?: string;
  /** Why records of earlier run attempts may be hidden from this job, if that is known yet. */
  readonly hiddenBy?: () => HiddenBy | undefined;
}
