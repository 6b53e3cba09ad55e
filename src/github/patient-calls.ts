import { callFailureOf, type CallFailure } from './call-failure.ts';
import { systemClock, type Clock } from './clock.ts';
import type { ServiceLimits } from './limits.ts';
import { countedTries, type OutageBudget } from './outage-budget.ts';
import { retry, type Failure, type Retried, type RetryBudget, type RetryRules } from './retry.ts';

/**
 * How long to retry a call. `seconds`: before an agent is started, when re-running the job costs little. `minutes`:
 * after it has ended, so that its work survives an outage.
 */
export type Patience = 'seconds' | 'minutes';

/** How long to retry calls. */
export interface PatienceOptions {
  /** For calls that do not specify it. Default: `seconds`. */
  readonly patience?: Patience;
  /** The budget for `minutes`; absent: as `seconds`. */
  readonly outage?: OutageBudget | undefined;
  /** Aborted when the job is cancelled: all waiting ends. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause with `minutes` of patience. */
  readonly waiting?: ((wait: Wait) => void) | undefined;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Numbers from 0 to below 1, for jitter; default `Math.random`. */
  readonly random?: () => number;
}

/** A pause before another try. */
export interface Wait {
  /** What went wrong: one sentence. */
  readonly message: string;
  readonly pauseMs: number;
  /** Time waited so far, and the maximum. */
  readonly spentMs: number;
  readonly totalMs: number;
}

/** Makes calls of one service, with retries according to their patience. */
export interface PatientCalls {
  /**
   * @param earlier failed tries for the same purpose; with `minutes` of patience the pauses continue from theirs
   * @throws any error of the call that is not a {@link CallFailure}
   */
  <T>(patience: Patience | undefined, call: () => Promise<T>, earlier?: number): Promise<Retried<T, CallFailure>>;
}

export function createPatientCalls(options: PatienceOptions & { readonly limits: ServiceLimits }): PatientCalls {
  const { limits, outage, signal, clock = systemClock, random = Math.random } = options;
  const common = { clock, random, signal, failureOf: callFailureOf };
  const few: Waiting = { rules: limits, budget: countedTries(limits.retries) };
  const many: Waiting = outage === undefined ? few : patiently(limits, outage, options.waiting);
  return (patience = options.patience ?? 'seconds', call, earlier) =>
    retry(call, { ...common, ...(patience === 'minutes' && many !== few ? { ...many, earlier } : few) });
}

interface Waiting {
  readonly rules: RetryRules;
  readonly budget: RetryBudget;
  readonly tell?: (failure: Failure, pauseMs: number) => void;
}

function patiently(limits: ServiceLimits, outage: OutageBudget, waiting: PatienceOptions['waiting']): Waiting {
  return {
    rules: { ...limits, tries: Infinity, longestAfterMs: Infinity },
    budget: outage,
    tell: ({ message }, pauseMs) => {
      const { spentMs, totalMs } = outage;
      waiting?.({ message, pauseMs, spentMs, totalMs });
    },
  };
}
