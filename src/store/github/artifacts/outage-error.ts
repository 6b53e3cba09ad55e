import { GatelineError } from '../../../errors/gateline-error.ts';

/** The service did not answer within the time that we wait for it. */
export function outageError(message: string): GatelineError {
  return new GatelineError('ARTIFACTS_OUTAGE', message);
}

/** Whether an error is {@link outageError}'s. */
export function isOutage(error: unknown): error is GatelineError {
  return error instanceof GatelineError && error.code === 'ARTIFACTS_OUTAGE';
}
