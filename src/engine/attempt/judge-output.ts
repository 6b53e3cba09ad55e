import { agentErrorText } from '../../agent/agent-error.ts';
import { ATTEMPT_FILES } from '../../agent/environment.ts';
import type { AgentFile, AgentResult } from '../../agent/agent.ts';
import { parseMetrics } from '../../agent/metrics.ts';
import type { JsonValue } from '../../json/json.ts';
import { judgeBytes, redactIssue } from '../../verdict/judge.ts';
import { failedVerdict, type Issue, type Verdict } from '../../verdict/verdict.ts';
import type { Metrics } from '../../run/entry.ts';
import type { Unit } from '../../run/units.ts';
import type { Call } from '../call.ts';
import { judgeContexts } from '../plan/checkpoints.ts';

/** Largest files of an agent, in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024;
const MAX_METRICS = 64 * 1024 * 1024;
const MAX_LEARNINGS = 1024 * 1024;

/** The files that an agent wrote in the directory of its attempt, judged. */
export interface JudgedOutput {
  readonly verdict: Verdict;
  /** Redacted. */
  readonly value?: JsonValue;
  readonly metrics?: Metrics;
  readonly learnings?: string;
}

/** Reads and judges the files of an agent. @param result how it ended; undefined: it works by itself */
export async function judgeOutput(
  call: Call,
  unit: Unit,
  directory: string,
  result?: AgentResult,
): Promise<JudgedOutput> {
  const { attempts, stateFiles } = call.ports;
  const { redactor } = call.order;
  const { gate } = unit;
  const read = async (name: string, limit: number): Promise<AgentFile> => {
    const file = await attempts.read(directory, name, limit);
    // The directory is kept, so secrets are redacted in its files too.
    const text = file.state === 'present' ? new TextDecoder().decode(file.bytes) : '';
    const redacted = redactor.text(text);
    if (redacted !== text) await attempts.write(directory, name, redacted);
    return file;
  };
  const output = await read(ATTEMPT_FILES.output, MAX_OUTPUT);
  const reported = parseMetrics(await read(ATTEMPT_FILES.metrics, MAX_METRICS));
  const learnings = await read(ATTEMPT_FILES.learnings, MAX_LEARNINGS);
  const more = {
    ...(reported.metrics && { metrics: redactor.json(reported.metrics).value as Metrics }),
    ...(learnings.state === 'present' && { learnings: redactor.text(new TextDecoder().decode(learnings.bytes)) }),
  };
  const ending = result && endingVerdict(result, output, gate.timeoutMinutes, redactor.text);
  if (ending) return { verdict: redactVerdict(call, ending), ...more };
  const stateFile = output.state === 'absent' ? await stateFiles?.read(unit) : undefined;
  if (stateFile && 'issues' in stateFile)
    return {
      verdict: failedVerdict('malformed', 'Correct the state file that the agent writes.', stateFile.issues),
      ...more,
    };
  const bytes = stateFile?.bytes ?? (output.state === 'present' ? output.bytes : undefined);
  if (bytes === undefined) return { verdict: outputVerdict(output as Missing), ...more };
  const { verdict, value } = await judgeBytes(await call.contracts.compile(gate), bytes, redactor, judgeContexts(call));
  const notices: Issue[] = reported.notice === undefined ? [] : [{ severity: 'notice', message: reported.notice }];
  return {
    verdict: redactVerdict(call, { ...verdict, issues: [...verdict.issues, ...notices].slice(0, 100) }),
    ...(value !== undefined && { value }),
    ...more,
  };
}

type Missing = Exclude<AgentFile, { state: 'present' }>;

/** Output of agents and quotes of checks may hold a secret; our own words do not. */
function redactVerdict({ order }: Call, verdict: Verdict): Verdict {
  return { ...verdict, issues: verdict.issues.map((issue) => redactIssue(issue, order.redactor)) };
}

/** The verdict on an agent that did not end with exit code 0; undefined: it did. */
function endingVerdict(
  result: AgentResult,
  output: AgentFile,
  timeoutMinutes: number,
  redact: (text: string) => string,
): Verdict | undefined {
  const issue = (message: string): Issue => ({ severity: 'error', message: message.slice(0, 4_096) });
  switch (result.outcome) {
    case 'exited': {
      if (result.exitCode === 0) return undefined;
      const errorText = agentErrorText(
        output.state === 'present' ? output.bytes : undefined,
        result.stdout,
        result.stderr,
        redact,
      );
      const code = issue(`the agent ended with exit code ${result.exitCode}`);
      return failedVerdict(
        'agent-error',
        'See the log of the agent.',
        errorText === undefined ? [code] : [issue(errorText), code],
      );
    }
    case 'signalled':
      return failedVerdict('agent-error', 'See the log of the agent.', [
        issue(`the agent was ended by ${result.signal}`),
      ]);
    case 'timeout':
      return failedVerdict('timeout', 'Let the agent do less, or raise `timeout-minutes`.', [
        issue(`the agent worked longer than ${timeoutMinutes} minutes`),
      ]);
    case 'cancelled':
      return failedVerdict('cancelled', 'Run again: it continues from here.', [issue('the call was interrupted')]);
    case 'not-started':
      return failedVerdict('agent-error', 'Correct the command of the gate.', [issue(result.message)]);
  }
}

function outputVerdict(file: Missing): Verdict {
  const advice = 'Write one JSON value to the file that `GATELINE_OUTPUT` names.';
  if (file.state === 'absent')
    return failedVerdict('missing', advice, [{ severity: 'error', message: 'the agent wrote no output' }]);
  if (file.state === 'refused') return failedVerdict('missing', advice, [{ severity: 'error', message: file.reason }]);
  const message = `the output has ${file.size} bytes; at most ${MAX_OUTPUT} are read`;
  return failedVerdict('too-large', 'Hand large data on in files.', [{ severity: 'error', message }]);
}
