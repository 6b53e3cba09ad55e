import { isDiskFull } from '../../errors/gateline-error.ts';
import { problemText } from '../../pipeline/problem-text.ts';
import type { AgentFile, AttemptDirectory } from '../../agent/attempt-files.ts';
import { withCost } from '../../history/prices.ts';
import { metricsSchema, type Metrics } from '../../run/records/metrics.ts';
import type { Content, StartedRecord } from '../../run/records/record.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson, pointerTo, type PlainIssue } from '../../json/parse-json.ts';
import { parentPointers } from '../../json/pointer.ts';
import { MASK, type Redactor } from '../../untrusted/redact.ts';
import type { Contract } from '../../verdict/contract.ts';
import { namesInContract } from '../../verdict/contract-names.ts';
import { failed, type Issue, type Verdict } from '../../verdict/verdict.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';
import type { BegunAttempt } from './begin-attempt.ts';
import { outputInStateFile, removeStateFile } from './state-file.ts';
import type { Call } from '../call/call.ts';
import { redactOutput } from '../call/redact-output.ts';
import { judgeValue } from '../upstream/judge-again.ts';
import { keepJson } from '../call/content.ts';

/** The largest output, in bytes. */
export const OUTPUT_LIMIT = 256 * 1024 * 1024;
const METRICS_LIMIT = 1024 * 1024;
const LEARNINGS_LIMIT = 1024 * 1024;
/** Bytes to keep, for people, of an output that could not be parsed. */
const REFUSED_LIMIT = 1024 * 1024;

/** The output that an agent wrote: parsed and redacted, or the verdict on why there is none. */
export type WrittenOutput =
  | { readonly value: JsonValue; readonly notices: readonly Issue[]; readonly failure?: Verdict }
  | { readonly value?: undefined; readonly verdict: Verdict };

/** The result of collecting an attempt's output. */
export interface CollectedOutput {
  readonly verdict: Verdict;
  readonly value: Content | undefined;
  readonly exports: Content | undefined;
}

/**
 * Reads, parses and redacts the agent's output. With it comes the call in which everything else of this attempt is
 * collected: its redactor also knows the texts that were redacted in the output.
 */
export async function readOutput(
  call: Call,
  begun: Pick<BegunAttempt, 'unit' | 'directory' | 'started' | 'checkout'>,
): Promise<{ readonly own: Call; readonly written: WrittenOutput }> {
  const { unit, directory } = begun;
  const file = await directory.read(ATTEMPT_FILES.output, OUTPUT_LIMIT);
  const left = await outputInStateFile(call, begun, file);
  if (left?.refused !== undefined) return { own: call, written: { verdict: left.refused } };
  if (left !== undefined) return redacted(call, unit, left);
  if (file.state !== 'present') return { own: call, written: { verdict: unreadable(file) } };
  const parsed = parseJson(file.bytes);
  if (!parsed.ok) {
    const { kind, issue, plain, advice } = parsed;
    const { contract } = await call.contracts.load(unit.gate);
    const { redact = [] } = contract;
    // Without its structure, what must not be kept cannot be distinguished from the rest.
    if (redact.length > 0)
      return { own: call, written: { verdict: failed(kind, advice, [notShown(plain, contract)]) } };
    const kept = await keepRefused(call, begun, file.bytes);
    const where = kept ? ` What it wrote is kept at ${directory.pathOf(ATTEMPT_FILES.refused)}.` : '';
    return { own: call, written: { verdict: failed(kind, `${advice}${where}`, [issue]) } };
  }
  return redacted(call, unit, { value: parsed.value, notices: parsed.notices });
}

/** An output without what must not be stored. */
async function redacted(
  call: Call,
  { key, gate }: BegunAttempt['unit'],
  { value: found, ...written }: Extract<WrittenOutput, { value: JsonValue }>,
): Promise<{ readonly own: Call; readonly written: WrittenOutput }> {
  const { redact = [] } = (await call.contracts.load(gate)).contract;
  const { value, redactor, notices, warning } = await redactOutput(call, gate, found);
  if (warning !== undefined) await call.observe({ type: 'notice', unit: key, message: warning, isInVerdict: true });
  const shown = written.notices.filter(({ pointer = '' }) => !isWithin(pointer, redact));
  return { own: { ...call, redactor }, written: { ...written, value, notices: [...shown, ...notices] } };
}

/**
 * Describes the problem of an output that may contain values to redact: its keys are shown only if the contract names
 * them.
 */
function notShown({ message, path }: PlainIssue, contract: Contract): Issue {
  const known = namesInContract(contract);
  const shown = path.map((key) => (typeof key === 'number' || known.has(key) ? key : MASK));
  return {
    severity: 'error',
    message: `${message}; the output is neither shown nor kept, since \`redact\` names parts of it`,
    ...(shown.length > 0 && { pointer: pointerTo(shown) }),
  };
}

function isWithin(pointer: string, parts: readonly string[]): boolean {
  return [pointer, ...parentPointers(pointer)].some((one) => parts.includes(one));
}

/**
 * Stores and judges an output. `early` is a verdict that does not depend on the output (exit code, timeout). The output
 * is still stored then, since it cost money.
 */
export async function collectOutput(
  call: Call,
  begun: Pick<BegunAttempt, 'unit' | 'directory' | 'started'>,
  written: WrittenOutput,
  early: Verdict | undefined,
): Promise<CollectedOutput> {
  if (written.value === undefined)
    return { verdict: settled(early, written.verdict) ?? written.verdict, value: undefined, exports: undefined };
  const { value, notices, failure } = written;
  const kept = await keepValue(call, begun, value);
  const without = settled(early, failure);
  if (without !== undefined) return { verdict: without, value: kept, exports: undefined };
  const judged = await judgeValue(call, begun.unit, value, kept);
  return { verdict: withNotices(judged.verdict, notices), value: kept, exports: judged.exports };
}

/** A verdict that does not depend on the output, with what the agent itself says of its failure. */
function settled(early: Verdict | undefined, told: Verdict | undefined): Verdict | undefined {
  if (early === undefined || told?.kind !== 'agent-error') return early ?? told;
  return withNotices(early, told.issues);
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

/**
 * On a full disk, if the attempt cannot be completed again, the agent's own file is deleted to make room for the stored
 * value.
 */
async function keepValue(
  call: Call,
  { directory, started }: Pick<BegunAttempt, 'directory' | 'started'>,
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

/** Stores the redacted beginning of an output that is not JSON, for people to read. False: there is no room for it. */
async function keepRefused(
  call: Call,
  { directory, started }: Pick<BegunAttempt, 'directory' | 'started'>,
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

/**
 * Whether the attempt can be completed again: the claim of an agent that runs by itself stays open until it is
 * completed.
 */
export function canBeCompletedAgain({ holder }: Pick<StartedRecord, 'holder'>): boolean {
  return holder === 'open';
}

/** Removes the agent's files once the attempt is recorded: they are not redacted, so they must not stay. */
export async function removeAnswer(
  call: Call,
  begun: Pick<BegunAttempt, 'unit' | 'directory' | 'started' | 'checkout'>,
): Promise<void> {
  for (const name of ['output', 'metrics', 'learnings'] as const) await begun.directory.remove(ATTEMPT_FILES[name]);
  await removeStateFile(call, begun);
}

/** The metrics that the agent reported, if they have the right shape; otherwise a notice. */
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
  const metrics = metricsSchema.safeParse(call.redactor.redactJson(parsed.value).value, { reportInput: true });
  if (metrics.success) return pricedMetrics(call, metrics.data);
  const first = metrics.error.issues[0]!;
  return why(`/${first.path.join('/')}: ${problemText(first)}`);
}

/** Metrics with the cost by the table of prices. What it lacks is named: that cost stays unknown. */
async function pricedMetrics({ budget }: Call, metrics: Metrics): Promise<{ metrics: Metrics; notices: Issue[] }> {
  const prices = await budget.prices();
  const priced = withCost(metrics, prices);
  const { model, costUsd } = priced;
  if (prices === undefined || costUsd !== undefined || model === undefined || Object.hasOwn(prices, model))
    return { metrics: priced, notices: [] };
  const message = `the cost is unknown: the table of prices has no model ${JSON.stringify(model)}`;
  return { metrics: priced, notices: [{ severity: 'notice', message }] };
}

/** The learnings that the agent wrote, redacted; nothing if it wrote none. Never ends an attempt. */
export async function collectLearnings(
  call: Call,
  directory: AttemptDirectory,
): Promise<{ learnings?: Content; notices: Issue[] }> {
  const file = await directory.read(ATTEMPT_FILES.learnings, LEARNINGS_LIMIT);
  if (file.state === 'absent' || (file.state === 'present' && file.bytes.length === 0)) return { notices: [] };
  const why = (text: string): { notices: Issue[] } => ({
    notices: [{ severity: 'notice', message: `the learnings were not kept: ${text}` }],
  });
  if (file.state !== 'present') return why(file.state === 'refused' ? file.why : 'the file is too large');
  try {
    const text = call.redactor.redactText(withoutEscapedSecrets(new TextDecoder().decode(file.bytes), call.redactor));
    return { learnings: await call.ports.store.put(text), notices: [] };
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return why('the disk is full');
  }
}

/**
 * JSON is redacted as it is read later: where a secret is written with escapes such as `\u0073`, the text of the file
 * does not contain it.
 */
function withoutEscapedSecrets(text: string, redactor: Redactor): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const { value, changed } = redactor.redactJson(JSON.parse(text) as JsonValue);
    return changed ? JSON.stringify(value) : text;
  } catch {
    // No JSON, as readers will find, too.
    return text;
  }
}
