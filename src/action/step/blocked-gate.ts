import type { EngineEvent, Observer } from '../../engine/ports.ts';
import { InvalidStateError } from '../../errors/invalid-state-error.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { code, said } from '../../report/markdown/markdown.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { Job } from '../job/job.ts';
import { reasonOf } from '../outputs.ts';

/** The output `reason` of an error, in fixed words: the error's message contains names of gates, jobs and files. */
const REASONS: Readonly<Record<string, string>> = {
  GATE_CLAIMED: 'Another job has claimed the gate.',
  CLAIM_UNSEEN: 'The gate is already claimed, but the claim is not listed: probably left by an interrupted upload.',
  UPSTREAM_NOT_DONE: 'A needed gate is not done.',
  UPSTREAM_UNREADABLE: 'A record or an output of a needed gate cannot be read.',
  UPSTREAM_UNSOUND: 'A record of a needed gate is inconsistent.',
  UPSTREAM_REFUSED: 'The output of a needed gate does not meet its contract.',
  STATE_INVALID: 'An entity that the gate requires is not valid.',
  ENTITY_BUSY: 'An entity that the gate uses is in use.',
  DIGEST_MISMATCH: 'The output of a needed gate was replaced.',
};

/**
 * Runs the engine's part of a step. An error that prevented the claim is also reported in the step's outputs and
 * summary, and rethrown; the caller reports the annotation.
 * @param log receives all events of `work`
 * @throws any error of `work`
 */
export async function orBlocked<T>(
  invocation: ActionInvocation,
  job: Pick<Job, 'gate' | 'key'>,
  log: Observer,
  work: (observe: Observer) => Promise<T>,
): Promise<T> {
  let isClaimed = false;
  const observe = (event: EngineEvent): ReturnType<Observer> => {
    isClaimed ||= event.type === 'started';
    return log(event);
  };
  try {
    return await work(observe);
  } catch (error) {
    if (error instanceof GatelineError && !isClaimed) await reportBlocked(invocation, job, error);
    throw error;
  }
}

async function reportBlocked(
  { world: { runner }, inputs }: ActionInvocation,
  { gate, key }: Pick<Job, 'gate' | 'key'>,
  error: GatelineError,
): Promise<void> {
  runner.setOutput('decision', 'blocked');
  runner.setOutput('reason', REASONS[error.code] ?? reasonOf({ choice: 'blocked', from: undefined, differences: [] }));
  runner.setOutput('gate', gate.id);
  runner.setOutput('leg', key.slice(gate.id.length + 1));
  runner.setOutput('status', 'blocked');
  runner.setOutput('passed', false);
  if (error instanceof InvalidStateError) runner.setOutput('missing-entities', error.details.missing.join(','));
  if (!inputs.summary) return;
  if (!(await runner.appendSummary(summaryOf(key, error))))
    runner.annotate('warning', 'The job summary of this step is full: the gate is not shown in it.');
}

function summaryOf(key: string, error: GatelineError): string {
  const { code: name, message, hint, title = 'Gate blocked' } = error;
  return `## Gate ${code(key, 130)}\n\n**${title}** (${code(name)}): ${said(message)}\n\n### Next step\n\n${said(hint)}\n`;
}
