import { GatelineError } from '../../../errors/gateline-error.ts';

/** The service gave no answer for as long as it is waited for. */
export function outageError(message: string): GatelineError {
  return new GatelineError('platform', 'ARTIFACTS_OUTAGE', message, {
    hint: 'GitHub, or the connection to it, is down. See https://www.githubstatus.com, then re-run the failed jobs.',
  });
}

/** Whether an error is {@link outageError}'s. */
export function isOutage(error: unknown): error is GatelineError {
  return error instanceof GatelineError && error.code === 'ARTIFACTS_OUTAGE';
}
