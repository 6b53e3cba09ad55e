import type { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import type { Request } from '../../run/plan/request.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import type { LoadedContract } from '../call/contracts.ts';
import type { JudgedAgain } from '../upstream/judge-again.ts';

/** A unit's plan with everything needed to carry it out. */
export interface PreparedUnit {
  readonly planned: PlannedUnit;
  /** Absent if the unit is blocked or depends on others. */
  readonly work?: Work;
  /** The attempt to reuse, for `keep` and `reuse`. */
  readonly checkpoint?: EndedRecord;
  /** For `adopt`: who decided so, and why. */
  readonly adoptedBy?: { readonly actor: string; readonly reason: string };
  /** When the agent that produced the checkpoint's output began. */
  readonly producedAt?: string;
  /** The checkpoint's verdict under the current contract, if the contract has changed. */
  readonly judged?: JudgedAgain;
  /** The error that blocks it, if there is one. */
  readonly error?: GatelineError;
  /** It is blocked because another process claimed it: who, as a sentence. */
  readonly claimed?: string;
}

/** The request of a unit, and its contract. */
export interface Work {
  readonly request: Request;
  readonly fingerprint: Digest;
  readonly contract: LoadedContract;
  /** The work was sent back: which iteration it is, and the fingerprint of the request without that. */
  readonly rework?: NonNullable<EndedRecord['rework']>;
}
