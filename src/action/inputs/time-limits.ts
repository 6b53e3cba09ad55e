import { ACTION_VARIABLES, type Environment } from '../../environment.ts';
import { DEFAULT_CACHE_LIMITS, DEFAULT_LIMITS, type CacheLimits, type ServiceLimits } from '../../github/limits.ts';
import type { Runner } from '../runner.ts';

/** How long a step's calls may take, and how long to wait in an outage after an agent has ended. */
export interface TimeLimits {
  readonly artifacts: ServiceLimits;
  readonly cache: CacheLimits;
  readonly outage: OutageLimits;
  /** For a listing that is behind the needed jobs' outputs. */
  readonly listing: WaitLimits;
  /** For the end of a run that started this one. */
  readonly ending: WaitLimits;
  /** Between two removals. */
  readonly removal: { readonly pauseMs: number };
}

/** In milliseconds. */
export interface OutageLimits {
  /** For all steps of an attempt together; scaled if `outage-minutes` is set. */
  readonly totalMs: number;
  /** For the post step of a cancelled job. Including a last try, it takes less than a minute. */
  readonly cancelledMs: number;
}

/** Default of the input `outage-minutes`. */
export const DEFAULT_OUTAGE_MINUTES = 5;

const OUTAGE_LIMITS: OutageLimits = { totalMs: DEFAULT_OUTAGE_MINUTES * 60_000, cancelledMs: 40_000 };

/** The smallest factor: a tenth of a second for a read request. */
const SMALLEST = 0.01;

/**
 * The default limits, or the fraction of them that `GATELINE_TIME_LIMITS` sets: for tests, and for users who prefer a
 * job that fails quickly. Limits can only be shortened, so that no earlier step can make a call hang for longer. An
 * invalid fraction causes a warning, and the default limits are used.
 */
export function timeLimits(environment: Environment, runner: Pick<Runner, 'annotate'>): TimeLimits {
  const text = environment[ACTION_VARIABLES.timeLimits] ?? '';
  const share = text === '' ? 1 : Number(text);
  if (share >= SMALLEST && share <= 1) return shortened(share);
  const message = `${ACTION_VARIABLES.timeLimits} must be a number from ${SMALLEST} to 1; using the default time limits.`;
  runner.annotate('warning', message, { title: 'Gateline' });
  return shortened(1);
}

function shortened(share: number): TimeLimits {
  return {
    artifacts: scaled(DEFAULT_LIMITS, share),
    cache: scaled(DEFAULT_CACHE_LIMITS, share),
    outage: scaled(OUTAGE_LIMITS, share),
    listing: scaled(DEFAULT_WAIT_LIMITS, share),
    ending: scaled(ENDING_LIMITS, share),
    removal: scaled(REMOVAL_LIMITS, share),
  };
}

/** Scales the properties whose names end in `Ms`. */
function scaled<T extends Readonly<Record<keyof T, number>>>(limits: T, share: number): T {
  const entries = Object.entries<number>(limits).map(
    ([name, value]) => [name, name.endsWith('Ms') ? value * share : value] as const,
  );
  return Object.fromEntries(entries) as T;
}

/** How long to wait for records that are known to exist, in milliseconds. */
export interface WaitLimits {
  /** For all listings of a step together. */
  readonly shownMs: number;
  /** The first pause; it doubles, up to {@link WaitLimits.longestPauseMs}. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

/** GitHub shows an artifact to other jobs within seconds, usually at once. */
export const DEFAULT_WAIT_LIMITS: WaitLimits = { shownMs: 20_000, pauseMs: 500, longestPauseMs: 4_000 };

/** GitHub takes 180 removals a minute. https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const REMOVAL_LIMITS: TimeLimits['removal'] = { pauseMs: 400 };

/** A run that starts another one ends as soon as its report does. */
const ENDING_LIMITS: WaitLimits = { shownMs: 5 * 60_000, pauseMs: 2_000, longestPauseMs: 15_000 };
