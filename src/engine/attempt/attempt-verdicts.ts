import type { AgentResult } from '../../agent/agent.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { Unit } from '../../run/records/unit.ts';
import { failed, type Issue, type Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call/call.ts';
import type { Captured } from './capture-files.ts';

/** Adds the problems and notices about an attempt's files to its verdict. */
export function withFiles({ gate }: Unit, verdict: Verdict, captured: Captured, notices: readonly Issue[]): Verdict {
  const { failure } = captured;
  if (failure !== undefined && gate.files.length > 0 && verdict.status !== 'failed') {
    return failed('workspace', `Its files cannot be captured: ${failure.hint}`, [
      { severity: 'error', message: `${failure.code}: ${failure.message}`.slice(0, 4_096) },
    ]);
  }
  if (captured.problems.length > 0 && verdict.status !== 'failed') {
    return failed(
      'files',
      'Every file that `files` names must be a plain file inside the workspace, without secrets.',
      [...captured.problems],
    );
  }
  return { ...verdict, issues: [...verdict.issues, ...captured.problems, ...notices].slice(0, 100) };
}

/** The verdict that follows from how the agent ended, whatever it wrote. `undefined`: it ended normally. */
export function verdictOn(call: Pick<Call, 'holder'>, result: AgentResult, unit: Unit): Verdict | undefined {
  switch (result.outcome) {
    case 'not-started':
      return failed('not-started', `The agent could not be started: ${result.message ?? 'the system gave no reason'}.`);
    case 'timeout':
      return failed(
        'timeout',
        `It took longer than ${unit.gate.timeoutMinutes} minutes and was stopped. Raise timeout-minutes, or give it less work.`,
      );
    case 'cancelled':
      return failed('cancelled', 'It was stopped because the run was cancelled. Run again to continue.');
    case 'signalled':
      return failed(
        'agent-error',
        `The agent was ended by ${result.signal ?? 'a signal'}.${whereLogsAre(call, result, unit)}`,
      );
    case 'exited':
      if (result.exitCode === 0) return undefined;
      return failed(
        'agent-error',
        `The agent ended with exit code ${result.exitCode ?? 'unknown'}.${whereLogsAre(call, result, unit)}`,
      );
  }
}

/** Names only a log that was kept: what an agent printed that Gateline did not start is not known. */
function whereLogsAre({ holder }: Pick<Call, 'holder'>, { stdout, stderr }: AgentResult, { key, gate }: Unit): string {
  if (holder === 'job') return ' Look at the log of its job.';
  if (stderr !== '') return ` Look at its logs: gateline show ${key} stderr.`;
  if (stdout !== '') return ` Look at its logs: gateline show ${key} stdout.`;
  return gate.run === undefined ? '' : ' It printed nothing.';
}

/** The gate names secrets that are not set. */
export function noSecret(names: readonly string[]): Verdict {
  return failed('no-secret', `Set ${names.join(', ')} in the environment, or remove it from the gate's secrets.`, [
    { severity: 'error', message: `not set: ${names.join(', ')}` },
  ]);
}

const KIND_OF: Readonly<Record<string, Verdict['kind']>> = { FILES_CONFLICT: 'files', ATTEMPT_LOST: 'lost' };

/** The verdict for an attempt that failed with an error before it could be judged. */
export function notPrepared(error: unknown): Verdict {
  const code = error instanceof GatelineError ? error.code : 'INTERNAL';
  const kind =
    KIND_OF[code] ??
    (code.startsWith('PATH_') ? 'files' : /^(?:GIT|WORKSPACE)_/.test(code) ? 'workspace' : 'not-started');
  const hint = error instanceof GatelineError ? error.hint : undefined;
  const said = hint === undefined ? messageOf(error) : `${messageOf(error).replace(/\.$/, '')}. ${hint}`;
  return failed(kind, `${code}: ${said}`.slice(0, 2_000));
}

/** Redacts a verdict. Outputs quoted in it are redacted already; log lines and messages of agents are not. */
export function redactVerdict(call: Pick<Call, 'redactor'>, verdict: Verdict): Verdict {
  const clean = (text: string): string => call.redactor.redactText(text);
  const issues = verdict.issues.map((issue) => ({ ...issue, message: clean(issue.message) }));
  const { result, message } = verdict;
  return {
    ...verdict,
    advice: clean(verdict.advice).slice(0, 2_048),
    issues,
    ...(result !== undefined && { result: clean(result) }),
    ...(message !== undefined && { message: clean(message) }),
  };
}
