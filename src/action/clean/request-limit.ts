import { CallFailure } from '../../github/call-failure.ts';

/** Most requests of one run: GitHub allows a repository 1,000 an hour, and others need them, too. */
export const MAX_REQUESTS = 300;

/** Counts the requests of a step, also repeated ones, and refuses those beyond a limit. */
export class RequestLimit {
  readonly #max: number;
  #sent = 0;

  constructor(max = MAX_REQUESTS) {
    this.#max = max;
  }

  /** How many requests may still be sent. */
  get left(): number {
    return this.#max - this.#sent;
  }

  /** To be called before each request. @throws CallFailure, which is not tried again, when none is left */
  count(): void {
    if (this.left <= 0) throw new CallFailure('refused', `${this.#max} requests were sent`, { passing: false });
    this.#sent += 1;
  }
}
