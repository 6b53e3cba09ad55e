import { GatelineError } from '../errors.ts';
import type { Order } from '../engine/ports.ts';
import type { Digest } from '../json/digest.ts';
import type { JsonValue } from '../json/json.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { Part, PartValue } from '../report/view.ts';
import { LogState, type Attempt } from '../run/state.ts';
import { gateOf, UnitGraph } from '../run/units.ts';
import { snapshotFrom } from '../workspace/workspace.ts';
import type { Folder } from './folder/folder.ts';

/** An attempt of a unit. Default: the newest one of the newest run that has one. */
export interface AttemptChoice {
  readonly run?: number;
  readonly attempt?: number;
}

type UnitChoice = AttemptChoice & { readonly unit: UnitKey };
type PartChoice = UnitChoice & { readonly part: Part };

/** Reads one part of an attempt. @throws GatelineError `usage` if there is no such part */
export async function readPart(folder: Folder, order: Order, choice: PartChoice): Promise<PartValue> {
  const { unit, part } = choice;
  new UnitGraph(order.pipeline).requireUnit(unit);
  const state = new LogState(order.pipeline, order.subject, await folder.ports.log.read());
  const attempt = findAttempt(state, choice);
  const { ended } = attempt;
  if (part === 'verdict' || part === 'feedback') {
    if (ended === undefined) throw missingPart(unit, part, attempt);
    return { json: ended.verdict as unknown as JsonValue };
  }
  const digest = partDigests(attempt)[part];
  if (digest === undefined) {
    if (part === 'stdout' || part === 'stderr') return { text: '' };
    throw missingPart(unit, part, attempt);
  }
  const value = await readContent(folder, order, part, digest);
  if (value === undefined)
    throw new GatelineError('platform', `the ${part} of ${unit} is missing or damaged`, {
      hint: '`gateline check` lists what is damaged',
    });
  return value;
}

/** The digests of the stored parts of an attempt. */
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

/** A stored part, for display; undefined: it is missing or damaged. */
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

function missingPart(unit: UnitKey, part: Part, { ref, ended }: Attempt): GatelineError {
  const why = ended === undefined ? 'has not ended' : 'left none';
  return new GatelineError('usage', `${unit} has no ${part}: attempt ${ref.n} of run ${ref.run} ${why}`);
}

/** Finds an attempt of a unit; for a used output, the one that made it. @throws GatelineError `usage` if there is none */
export function findAttempt(state: LogState, { unit, run, attempt }: UnitChoice): Attempt {
  const { subject } = state;
  const runState = state.runs.findLast((other) => other.run === run || (run === undefined && other.attempts.has(unit)));
  const attempts = runState?.attempts.get(unit) ?? [];
  const chosen = attempt === undefined ? attempts.at(-1) : attempts.find(({ ref }) => ref.n === attempt);
  if (chosen === undefined) {
    const place = [attempt === undefined ? 'attempt' : `attempt ${attempt}`, run === undefined ? '' : `in run ${run}`];
    throw new GatelineError('usage', `${unit} has no ${place.join(' ').trim()} of ${subject}`, {
      hint: '`gateline status` shows gates and runs',
    });
  }
  const source = chosen.ended?.source;
  if (source === undefined || source.subject !== subject) return chosen;
  const maker = state.runs
    .find((other) => other.run === source.run)
    ?.attempts.get(unit)
    ?.find(({ ref }) => ref.n === source.n);
  return maker?.ended
    ? { ...chosen, started: maker.started, ended: { ...maker.ended, verdict: chosen.ended!.verdict } }
    : chosen;
}

/** What the gates of the newest run changed in the folder, as a unified diff. @param unit a gate, or one leg */
export async function diffRun(folder: Folder, { pipeline, subject }: Order, unit?: UnitKey): Promise<string> {
  if (unit !== undefined) new UnitGraph(pipeline).requireGate(gateOf(unit));
  const state = new LogState(pipeline, subject, await folder.ports.log.read());
  const patches: string[] = [];
  const attempts = [...(state.current?.attempts ?? [])].flatMap(([key, ofUnit]) =>
    unit === undefined || key === unit || gateOf(key) === unit ? ofUnit : [],
  );
  const changes = attempts.flatMap(({ started, ended }) =>
    started && ended?.snapshot && ended.changes.length > 0
      ? [{ ended, from: started.snapshot, to: ended.snapshot }]
      : [],
  );
  for (const { ended, from, to } of changes.toSorted((a, b) => Date.parse(a.ended.at) - Date.parse(b.ended.at))) {
    const paths = ended.changes.map(({ path }) => path);
    const patch = await folder.git.patch(snapshotFrom(from), snapshotFrom(to), paths);
    patches.push(`# ${ended.unit}, attempt ${ended.n}\n${patch}`);
  }
  return patches.join('\n');
}
