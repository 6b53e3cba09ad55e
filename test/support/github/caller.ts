/** Who makes a call: a job of an attempt of a run. Undefined where a call carries nothing that says so. */
export interface Caller {
  readonly run: number;
  /** From 1. */
  readonly attempt: number;
  /** Id of the job inside its workflow file. */
  readonly job: string;
}
