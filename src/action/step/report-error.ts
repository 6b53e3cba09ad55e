import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import type { Runner } from '../runner.ts';

/** GitHub keeps ten annotations of a kind per step; the last one is reserved for the list itself. */
const MAX_PLACES = 9;

/**
 * Reports an error in the log and as annotations: what, where, and how to fix it. Any other thrown value is a bug and
 * is reported as one.
 */
export function reportError(runner: Runner, error: unknown): void {
  if (!(error instanceof GatelineError)) return reportBug(runner, error);
  if (error instanceof PipelineInvalidError) {
    for (const { severity, message, code, place } of error.problems.slice(0, MAX_PLACES))
      runner.annotate(severity, `${code} ${message}`, { title: 'Pipeline invalid', place });
  }
  const { code, message, hint, place, cause } = error;
  const text = `${code}: ${message}\n${hint}`;
  runner.annotate('error', text, { title: titleOf(error), ...(place === undefined ? {} : { place }) });
  if (cause !== undefined) runner.info(`caused by: ${messageOf(cause)}`);
}

function reportBug(runner: Runner, error: unknown): void {
  const message = `INTERNAL: ${messageOf(error)}\nThis is a bug in Gateline. Please report it with the lines of the log.`;
  runner.annotate('error', message, { title: 'Gateline: a bug' });
  if (error instanceof Error) runner.info(error.stack ?? '');
}

function titleOf(error: GatelineError): string {
  if (error.title !== undefined) return error.title;
  switch (error.fault) {
    case 'user':
      return 'Gateline: configuration error';
    case 'agent':
      return 'Gate failed';
    case 'platform':
      return 'Gateline: a service or the runner failed';
    case 'gateline':
      return 'Gateline: a bug';
  }
}
