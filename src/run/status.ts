/** `error`: a gate failed, or was lost. `paused`: a person must decide. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_STATUSES = [
  'initializing',
  'executing',
  'paused',
  'error',
  'completed',
  'rollback',
  'closed',
] as const;

/**
 * `passed`: or approved. `lost`: it started, and nobody will end it. `paused`: a person must decide. `blocked`: a gate that
 * it needs failed.
 */
export type UnitStatus =
  | 'pending'
  | 'running'
  | 'passed'
  | 'partial'
  | 'failed'
  | 'lost'
  | 'paused'
  | 'skipped'
  | 'not-applicable'
  | 'blocked';

/** A status after the name of a unit: `review failed`. */
export const STATUS_PHRASES: Readonly<Record<UnitStatus, string>> = {
  pending: 'has not run',
  running: 'is running',
  passed: 'passed',
  partial: 'is below its threshold',
  failed: 'failed',
  lost: 'was lost',
  paused: 'waits for a person',
  skipped: 'was skipped',
  'not-applicable': 'is not applicable',
  blocked: 'is blocked',
};

/** The reason of a passed unit whose output has no message. */
export const MEETS_CONTRACT = 'the output meets the contract';
