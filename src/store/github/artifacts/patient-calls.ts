import { systemClock, type Clock } from '../../../github/clock.ts';
import { countedTries, type OutageBudget } from '../../../github/outage-budget.ts';
import { retry, type Failure, type Retried, type RetryBudget, type RetryRules } from '../../../github/retry.ts';
import type { Answer, Patience } from './artifact-service.ts';
import { CallFailure, type ServiceLimits } from './limits.ts';

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

/** Calls of one service, tried again as their patience says. */
export interface PatientCalls {
  /**
   * @param earlier tries for the same purpose that failed before; with minutes to spare the pauses go on from theirs
   * @throws whatever the call throws that is no {@link CallFailure}
   */
  make<T>(patience: Patience | undefined, call: () => Promise<T>, earlier?: number): Promise<Retried<T, CallFailure>>;
  /** The same, with a failure as trouble of its code. */
  ask<T>(patience: Patience | undefined, call: () => Promise<T>): Promise<Answer<T>>;
}

export function createPatientCalls(options: PatienceOptions & { readonly limits: ServiceLimits }): PatientCalls {
  const { limits, outage, signal, clock = systemClock, random = Math.random } = options;
  const common = { clock, random, signal, failureOf };
  const few: Waiting = { rules: limits, budget: countedTries(limits.retries) };
  const many: Waiting = outage === undefined ? few : patiently(limits, outage, options.waiting);
  const make: PatientCalls['make'] = (patience = options.patience ?? 'seconds', call, earlier) =>
    retry(call, { ...common, ...(patience === 'minutes' && many !== few ? { ...many, earlier } : few) });
  return {
    make,
    ask: async (patience, call) => {
      const answer = await make(patience, call);
      if (answer.ok) return answer;
      const { failure } = answer;
      const code = failure instanceof CallFailure ? failure.code : 'OUTAGE';
      return { ok: false, trouble: { code, message: failure.message } };
    },
  };
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

function failureOf(error: unknown): CallFailure | undefined {
  return error instanceof CallFailure ? error : undefined;
}
