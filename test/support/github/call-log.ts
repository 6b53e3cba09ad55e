import type { Protocol } from './protocol.ts';

/** One call that reached the service. */
export interface LoggedCall {
  /** From 1, in the order in which calls arrived. */
  readonly number: number;
  readonly operation: string;
  readonly protocol: Protocol;
  /** Whose token or signed address it was; undefined where that is unknown. */
  readonly run: number | undefined;
  readonly attempt: number | undefined;
  readonly job: string | undefined;
  /** Artifact name, cache key, or the id in a REST path. */
  readonly name: string | undefined;
  /** Status of the answer; undefined as long as there is none. */
  status: number | undefined;
  /** Kind of the fault that befell it. */
  fault: string | undefined;
}
