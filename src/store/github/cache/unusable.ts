/**
 * Why the cache is of no use for now: the end of a sentence for people. It never leaves this folder, where it
 * becomes a notice: nothing that a cache does is an error of the gate.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
  /** Whether the same call may well succeed a moment later. */
  readonly transient: boolean;

  constructor(reason: string, { transient = false, cause }: { transient?: boolean; cause?: unknown } = {}) {
    super(reason, cause === undefined ? undefined : { cause });
    this.transient = transient;
  }
}
