import { GatelineError } from '../errors.ts';
import type { Order } from '../engine/ports.ts';
import type { Digest } from '../json/digest.ts';
import type { JsonValue } from '../json/json.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Part, PartValue } from '../report/view.ts';
import { attemptOf } from '../run/entry.ts';
import { LogState, type Attempt } from '../run/state.ts';
import { gateOf, UnitGraph } from '../run/units.ts';
import { snapshotFrom } from '../workspace/workspace.ts';
import type { Folder } from './folder/folder.ts';

/** Which attempt of a unit. Default: its newest, of the newest run that has one. */
export interface AttemptChoice {
  readonly run?: number;
  readonly attempt?: number;
}

type UnitChoice = AttemptChoice & { readonly unit: UnitKey };
type PartChoice = UnitChoice & { readonly part: Part };

/** One part of what an attempt left. @throws GatelineError `usage` if there is no such part */
export async function readPart(folder: Folder, order: Order, choice: PartChoice): Promise<PartValue> {
  const { unit, part } = choice;
  new UnitGraph(order.pipeline).requireUnit(unit);
  const state = new LogState(order.pipeline, order.subject, await folder.ports.log.read());
  const attempt = findAttempt(state, choice);
  const { ended } = attempt;
  if (part === 'verdict' || part === 'feedback') {
    if (ended === undefined) throw missing(unit, part, attempt);
    return { json: ended.verdict as unknown as JsonValue };
  }
  const digest = partDigests(attempt)[part];
  if (digest === undefined) {
    if (part === 'stdout' || part === 'stderr') return { text: '' };
    throw missing(unit, part, attempt);
  }
  const value = await readContent(folder, order, part, digest);
  if (value === undefined)
    throw new GatelineError('platform', `the ${part} of ${unit} is missing or damaged`, {
      hint: '`gateline check` lists what is damaged',
    });
  return value;
}

/** The contents of an attempt. */
export function partDigests({ started, ended }: Attempt): Readonly<Partial<Record<Part, Digest>>> {
  return {
    output: ended?.output?.digest,
    exports: ended?.exports?.digest,
    request: started?.fingerprint ?? ended?.fingerprint,
    contract: ended?.contract ?? started?.contract,
    stdout: ended?.logs?.stdout?.digest,
    stderr: ended?.logs?.stderr?.digest,
    learnings: ended?.learnings?.digest,
  };
}

/** A content as it is shown; undefined: it is missing or damaged. */
export async function readContent(
  { ports }: Folder,
  { redactor }: Order,
  part: Part,
  digest: Digest,
): Promise<PartValue | undefined> {
  const bytes = await ports.contents.get(digest);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  return part === 'stdout' || part === 'stderr' || part === 'learnings'
    ? { text: redactor.text(text, 'shown') }
    : { json: JSON.parse(text) as JsonValue };
}

function missing(unit: UnitKey, part: Part, { ref, ended }: Attempt): GatelineError {
  const why = ended === undefined ? 'has not ended' : 'left none';
  return new GatelineError('usage', `${unit} has no ${part}: attempt ${ref.n} of run ${ref.run} ${why}`);
}

/** The attempt that made what a unit has. @throws GatelineError `usage` if there is none */
export function findAttempt(state: LogState, { unit, run, attempt }: UnitChoice): Attempt {
  const { subject } = state;
  const runState = state.runs.findLast((other) => other.run === run || (run === undefined && other.attempts.has(unit)));
  const attempts = runState?.attempts.get(unit) ?? [];
  const found = attempt === undefined ? attempts.at(-1) : attempts.find(({ ref }) => ref.n === attempt);
  if (found === undefined) {
    const place = [attempt === undefined ? 'attempt' : `attempt ${attempt}`, run === undefined ? '' : `in run ${run}`];
    throw new GatelineError('usage', `${unit} has no ${place.join(' ').trim()} of ${subject}`, {
      hint: '`gateline status` shows gates and runs',
    });
  }
  // What was used in this run was made by an earlier attempt.
  const source = found.ended?.source;
  if (source === undefined || source.subject !== subject) return found;
  const maker = state.runs
    .find((other) => other.run === source.run)
    ?.attempts.get(unit)
    ?.find(({ ref }) => ref.n === source.n);
  return maker?.ended
    ? { ...found, started: maker.started, ended: { ...maker.ended, verdict: found.ended!.verdict } }
    : found;
}

/** What the gates of the newest run changed in the folder, as a unified diff. @param unit a gate, or one leg */
export async function diffRun(folder: Folder, { pipeline, subject }: Order, unit?: UnitKey): Promise<string> {
  if (unit !== undefined) new UnitGraph(pipeline).requireGate(gateOf(unit));
  const state = new LogState(pipeline, subject, await folder.ports.log.read());
  const workspace = folder.git;
  const patches: string[] = [];
  const ended = [...(state.current?.attempts ?? [])].flatMap(([key, attempts]) =>
    unit === undefined || key === unit || gateOf(key) === unit ? attempts : [],
  );
  const order = (attempt: Attempt): string => attempt.ended?.at ?? '';
  for (const attempt of ended.toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0))) {
    const { started, ended: end } = attempt;
    if (!started || !end?.snapshot || end.changes.length === 0) continue;
    const paths = end.changes.map(({ path }) => path);
    const { unit: key, n } = attemptOf(end);
    patches.push(
      `# ${key}, attempt ${n}\n${await workspace.patch(snapshotFrom(started.snapshot), snapshotFrom(end.snapshot), paths)}`,
    );
  }
  return patches.join('\n');
}
