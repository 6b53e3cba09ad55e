import type { ErrorCode } from '../../errors/error-codes.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { CallFailure, type FailureKind } from '../call-failure.ts';
import type { Failure } from '../retry.ts';

const CODES: Readonly<Record<FailureKind, ErrorCode>> = {
  outage: 'REST_OUTAGE',
  'rate-limited': 'REST_RATE_LIMITED',
  denied: 'REST_DENIED',
  absent: 'REST_NOT_FOUND',
  refused: 'REST_REFUSED',
  invalid: 'REST_ANSWER_INVALID',
  'too-large': 'REST_ANSWER_INVALID',
  altered: 'REST_ANSWER_INVALID',
};

/** The error for a request that finally failed, for people. */
export function restError(failure: Failure, what: string): GatelineError {
  if (failure instanceof CallFailure) return new GatelineError(CODES[failure.kind], `${failure.message}.`);
  return new GatelineError('REST_OUTAGE', `${what} failed: ${failure.message}.`);
}
