import { ACTION_VARIABLES, type Environment } from '../../environment.ts';
import { DEFAULT_CACHE_LIMITS, DEFAULT_LIMITS, type CacheLimits, type ServiceLimits } from '../../github/limits.ts';
import type { Runner } from '../runner.ts';

/** How long calls of a step may take, and how long an outage is waited for when an agent has ended. */
export interface TimeLimits {
  readonly artifacts: ServiceLimits;
  readonly cache: CacheLimits;
  readonly outage: OutageLimits;
  /** A listing that is behind what needed jobs told. */
  readonly listing: WaitLimits;
}

/** In milliseconds. */
export interface OutageLimits {
  /** All steps of an attempt together; where `outage-minutes` says otherwise, in proportion. */
  readonly totalMs: number;
  /** The post step of a job that was cancelled. With what a last try takes that is less than a minute. */
  readonly cancelledMs: number;
}

/** What the input `outage-minutes` is by default. */
export const DEFAULT_OUTAGE_MINUTES = 5;

const OUTAGE_LIMITS: OutageLimits = { totalMs: DEFAULT_OUTAGE_MINUTES * 60_000, cancelledMs: 40_000 };

/** The smallest share: a tenth of a second for a call that asks something. */
const SMALLEST = 0.01;

/**
 * The usual limits, or the share of them that `GATELINE_TIME_LIMITS` says: for tests, and for whoever would rather have a red
 * job soon. They can only be shortened, so that no step before can make a call hang for longer. What is no share is a
 * warning, and the usual limits count.
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
  };
}

/** Times are those whose name ends in `Ms`. */
function scaled<T extends Readonly<Record<keyof T, number>>>(limits: T, share: number): T {
  const entries = Object.entries<number>(limits).map(
    ([name, value]) => [name, name.endsWith('Ms') ? value * share : value] as const,
  );
  return Object.fromEntries(entries) as T;
}

/** How long is waited for records that are known to be there, in milliseconds. */
export interface WaitLimits {
  /** For all listings of a step together. */
  readonly shownMs: number;
  /** The first pause; it doubles, up to {@link WaitLimits.longestPauseMs}. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

/** GitHub shows an artifact to other jobs within seconds, as a rule at once. */
export const DEFAULT_WAIT_LIMITS: WaitLimits = { shownMs: 20_000, pauseMs: 500, longestPauseMs: 4_000 };
