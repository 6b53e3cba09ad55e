import { isDiskFull } from '../../errors/gateline-error.ts';
import type { AgentFile, AttemptDirectory } from '../../agent/attempt-files.ts';
import { metricsSchema, type Content, type Metrics, type StartedRecord } from '../../run/records/record.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { failed, type Issue, type Verdict } from '../../verdict/verdict.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';
import type { Begun } from './begin-attempt.ts';
import type { Call } from '../call/call.ts';
import { judgeValue } from '../upstream/judge-again.ts';
import { keepJson } from '../keep-json.ts';

/** The largest output, in bytes. */
export const OUTPUT_LIMIT = 256 * 1024 * 1024;
const METRICS_LIMIT = 1024 * 1024;
const LEARNINGS_LIMIT = 1024 * 1024;
/** Of an output that could not be parsed, this much is kept for people. */
const REFUSED_LIMIT = 1024 * 1024;

/** What an attempt's output came to. */
export interface Collected {
  readonly verdict: Verdict;
  readonly value: Content | undefined;
  readonly exports: Content | undefined;
}

/**
 * Reads, parses, redacts, keeps and judges what the agent wrote. `early` is a verdict that stands whatever the
 * output is (exit code, timeout); the output is kept all the same, since it cost money.
 */
export async function collectOutput(
  call: Call,
  begun: Pick<Begun, 'unit' | 'directory' | 'started'>,
  early: Verdict | undefined,
): Promise<Collected> {
  const { unit, directory } = begun;
  const file = await directory.read(ATTEMPT_FILES.output, OUTPUT_LIMIT);
  if (file.state !== 'present') return nothing(early ?? unreadable(file));
  const parsed = parseJson(file.bytes);
  if (!parsed.ok) {
    const kept = await keepRefused(call, begun, file.bytes);
    const where = kept ? ` What it wrote is kept at ${directory.pathOf(ATTEMPT_FILES.refused)}.` : '';
    const advice = `${parsed.advice}${where}`;
    return nothing(early ?? failed(parsed.kind, advice, [parsed.issue]));
  }
  const value = call.redactor.redactJson(parsed.value).value;
  const kept = await keepValue(call, begun, value);
  if (early !== undefined) return { verdict: early, value: kept, exports: undefined };
  const judged = await judgeValue(call, unit, value, kept);
  return { verdict: withNotices(judged.verdict, parsed.notices), value: kept, exports: judged.exports };
}

function nothing(verdict: Verdict): Collected {
  return { verdict, value: undefined, exports: undefined };
}

function unreadable(file: Exclude<AgentFile, { state: 'present' }>): Verdict {
  if (file.state === 'too-large') {
    return failed('too-large', `Write at most ${OUTPUT_LIMIT} bytes; hand on the rest as files.`, [
      { severity: 'error', message: `the output has ${file.size} bytes` },
    ]);
  }
  if (file.state === 'refused')
    return failed('missing', `Write a plain file to $GATELINE_OUTPUT; the existing one cannot be used: ${file.why}.`);
  return failed(
    'missing',
    'The agent succeeded but wrote no output. It must write a JSON value to the file that GATELINE_OUTPUT names.',
  );
}

function withNotices(verdict: Verdict, notices: readonly Issue[]): Verdict {
  return notices.length === 0 ? verdict : { ...verdict, issues: [...verdict.issues, ...notices].slice(0, 100) };
}

/** Where the disk is full, an attempt that cannot be completed again gives up the agent's own file for what is kept. */
async function keepValue(
  call: Call,
  { directory, started }: Pick<Begun, 'directory' | 'started'>,
  value: JsonValue,
): Promise<Content> {
  try {
    return await keepJson(call.ports.store, value);
  } catch (error) {
    if (!isDiskFull(error) || canBeCompletedAgain(started)) throw error;
    await directory.remove(ATTEMPT_FILES.output);
    return keepJson(call.ports.store, value);
  }
}

/** Keeps the redacted beginning of an output that is no JSON, for people to look at. False: there is no room for it. */
async function keepRefused(
  call: Call,
  { directory, started }: Pick<Begun, 'directory' | 'started'>,
  bytes: Uint8Array,
): Promise<boolean> {
  const text = new TextDecoder().decode(bytes.subarray(0, REFUSED_LIMIT));
  try {
    await directory.write(ATTEMPT_FILES.refused, [call.redactor.redactText(text)]);
    return true;
  } catch (error) {
    if (!isDiskFull(error) || canBeCompletedAgain(started)) throw error;
    return false;
  }
}

/** The claim of an agent that runs by itself stays open until somebody completes it. */
export function canBeCompletedAgain({ holder }: Pick<StartedRecord, 'holder'>): boolean {
  return holder === 'open';
}

/** Removes what the agent wrote, once the attempt is on record: nobody redacted it, so it must not stay. */
export async function removeAnswer(directory: AttemptDirectory): Promise<void> {
  for (const name of ['output', 'metrics', 'learnings'] as const) await directory.remove(ATTEMPT_FILES[name]);
}

/** What the agent told of itself, when it is of the right shape; a notice otherwise. */
export async function collectMetrics(
  call: Call,
  directory: AttemptDirectory,
): Promise<{ metrics?: Metrics; notices: Issue[] }> {
  const file = await directory.read(ATTEMPT_FILES.metrics, METRICS_LIMIT);
  if (file.state === 'absent') return { notices: [] };
  const why = (text: string): { notices: Issue[] } => ({
    notices: [{ severity: 'notice', message: `the metrics were not used: ${text}` }],
  });
  if (file.state !== 'present') return why(file.state === 'refused' ? file.why : 'the file is too large');
  const parsed = parseJson(file.bytes);
  if (!parsed.ok) return why(parsed.issue.message);
  const metrics = metricsSchema.safeParse(call.redactor.redactJson(parsed.value).value);
  if (metrics.success) return { metrics: metrics.data, notices: [] };
  const first = metrics.error.issues[0];
  return why(`/${first?.path.join('/') ?? ''}: ${first?.message ?? 'not the right shape'}`);
}

/** What the agent wrote down for later runs, redacted; `undefined` when nothing. */
export async function collectLearnings(call: Call, directory: AttemptDirectory): Promise<Content | undefined> {
  const file = await directory.read(ATTEMPT_FILES.learnings, LEARNINGS_LIMIT);
  if (file.state !== 'present' || file.bytes.length === 0) return undefined;
  return call.ports.store.put(call.redactor.redactText(new TextDecoder().decode(file.bytes)));
}
