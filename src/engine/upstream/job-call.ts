import type { CallOptions } from '../call/call.ts';
import type { Digest } from '../../json/digest.ts';
import type { HiddenBy } from '../../run/records/reading.ts';

/** What a job of a CI run knows when it works on one gate. */
export interface JobCall {
  readonly call: CallOptions & Required<Pick<CallOptions, 'numbers'>>;
  /** Gates that are defined in other jobs only: what is known of them is in their records, their contracts too. */
  readonly recorded?: ReadonlySet<string>;
  /** Digests of outputs that came by another way than the records, by gate: outputs of the needed jobs. They must match. */
  readonly digests?: ReadonlyMap<string, Digest>;
  /** Why records of earlier run attempts may be hidden from this job, as far as that is known by then. */
  readonly hiddenBy?: () => HiddenBy | undefined;
}
