import { GatelineError } from '../../errors/gateline-error.ts';

/** The service gave no answer for as long as it is waited for. */
export function outageError(message: string): GatelineError {
  return new GatelineError('platform', 'ARTIFACTS_OUTAGE', message, {
    hint: 'This is an outage, of GitHub or on the way to it. See https://www.githubstatus.com, then run the failed jobs again.',
  });
}

/** Whether an error is {@link outageError}'s. */
export function isOutage(error: unknown): error is GatelineError {
  return error instanceof GatelineError && error.code === 'ARTIFACTS_OUTAGE';
}
