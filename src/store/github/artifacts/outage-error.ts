import { GatelineError } from '../../../errors/gateline-error.ts';

/** The service gave no answer for as long as it is waited for. */
export function outageError(message: string): GatelineError {
  return new GatelineError('ARTIFACTS_OUTAGE', message);
}

/** Whether an error is {@link outageError}'s. */
export function isOutage(error: unknown): error is GatelineError {
  return error instanceof GatelineError && error.code === 'ARTIFACTS_OUTAGE';
}
