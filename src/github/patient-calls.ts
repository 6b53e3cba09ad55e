import { callFailureOf, type CallFailure } from './call-failure.ts';
import { systemClock, type Clock } from './clock.ts';
import type { ServiceLimits } from './limits.ts';
import { countedTries, type OutageBudget } from './outage-budget.ts';
import { retry, type Failure, type Retried, type RetryBudget, type RetryRules } from './retry.ts';

/**
 * How long a call is tried. `seconds`: before an agent is started, when another run of the job costs little. `minutes`:
 * when it has ended, so that its work survives an outage.
 */
export type Patience = 'seconds' | 'minutes';

/** How long calls are tried. */
export interface PatienceOptions {
  /** Where a call does not say. Default: `seconds`. */
  readonly patience?: Patience;
  /** What `minutes` are; absent: as `seconds`. */
  readonly outage?: OutageBudget | undefined;
  /** Aborted when the job is cancelled: nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
  /** Told before each pause, with minutes to spare. */
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
  /** Waited so far, and the most that is waited. */
  readonly spentMs: number;
  readonly totalMs: number;
}

/** Makes calls of one service, tried again as their patience says. */
export interface PatientCalls {
  /**
   * @param earlier tries for the same purpose that failed before; with minutes to spare the pauses go on from theirs
   * @throws whatever the call throws that is no {@link CallFailure}
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
