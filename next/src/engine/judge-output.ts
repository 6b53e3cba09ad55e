import { agentErrorText } from '../agent/agent-error.ts';
import type { AgentFile, AgentResult } from '../agent/agent.ts';
import { parseMetrics } from '../agent/metrics.ts';
import type { JsonValue } from '../json/json.ts';
import { judgeBytes } from '../verdict/judge.ts';
import { failedVerdict, type Issue, type Verdict } from '../verdict/verdict.ts';
import type { Metrics } from '../run/entry.ts';
import type { Unit } from '../run/units.ts';
import type { Call } from './call.ts';
import { judgeContexts } from './remember.ts';

/** The most that an agent may write, in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024;
const MAX_METRICS = 64 * 1024 * 1024;
export const MAX_LEARNINGS = 1024 * 1024;

/** What an agent left in the directory of its attempt, judged. */
export interface JudgedOutput {
  readonly verdict: Verdict;
  /** Redacted. */
  readonly value?: JsonValue;
  readonly metrics?: Metrics;
  readonly learnings?: string;
}

/** Reads and judges what an agent wrote. @param result how it ended; undefined: it works by itself and is done */
export async function judgeOutput(
  call: Call,
  { gate }: Unit,
  directory: string,
  result?: AgentResult,
): Promise<JudgedOutput> {
  const { attempts } = call.ports;
  const { redactor } = call.order;
  const output = await attempts.read(directory, 'output.json', MAX_OUTPUT);
  const read = parseMetrics(await attempts.read(directory, 'metrics.json', MAX_METRICS));
  const learnings = await attempts.read(directory, 'learnings.md', MAX_LEARNINGS);
  const more = {
    ...(read.metrics && { metrics: redactor.json(read.metrics as JsonValue).value as Metrics }),
    ...(learnings.state === 'present' && { learnings: redactor.text(new TextDecoder().decode(learnings.bytes)) }),
  };
  const ending = result && endingVerdict(result, output, gate.timeoutMinutes);
  if (ending) return { verdict: ending, ...more };
  if (output.state !== 'present') return { verdict: outputVerdict(output), ...more };
  const compiled = await call.compiledContract(gate);
  const { verdict, value } = await judgeBytes(compiled, output.bytes, redactor, judgeContexts(call));
  const notices: Issue[] = read.notice === undefined ? [] : [{ severity: 'notice', message: read.notice }];
  return {
    verdict: { ...verdict, issues: [...verdict.issues, ...notices].slice(0, 100) },
    ...(value !== undefined && { value }),
    ...more,
  };
}

/** The verdict on an agent that did not end well, whatever it wrote. */
function endingVerdict(result: AgentResult, output: AgentFile, timeoutMinutes: number): Verdict | undefined {
  const issue = (message: string): Issue => ({ severity: 'error', message: message.slice(0, 4_096) });
  switch (result.outcome) {
    case 'exited': {
      if (result.exitCode === 0) return undefined;
      const said = agentErrorText(output.state === 'present' ? output.bytes : undefined, result.stdout, result.stderr);
      const code = issue(`the agent ended with exit code ${result.exitCode}`);
      return failedVerdict(
        'agent-error',
        'See the log of the agent.',
        said === undefined ? [code] : [issue(said), code],
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

function outputVerdict(file: Exclude<AgentFile, { state: 'present' }>): Verdict {
  const advice = 'Write one JSON value to the file that `GATELINE_OUTPUT` names.';
  if (file.state === 'absent')
    return failedVerdict('missing', advice, [{ severity: 'error', message: 'the agent wrote no output' }]);
  if (file.state === 'refused') return failedVerdict('missing', advice, [{ severity: 'error', message: file.reason }]);
  const message = `the output has ${file.size} bytes; at most ${MAX_OUTPUT} are read`;
  return failedVerdict('too-large', 'Hand large data on in files.', [{ severity: 'error', message }]);
}
