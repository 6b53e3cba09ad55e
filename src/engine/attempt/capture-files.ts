import { GatelineError, isDiskFull } from '../../errors/gateline-error.ts';
import { upstreamFiles } from '../../run/files/files.ts';
import { unitOf, type EndedRecord, type FileChange, type StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Issue } from '../../verdict/verdict.ts';
import type { KeepContent, TreeId } from '../../workspace/workspace.ts';
import type { BegunAttempt } from './begin-attempt.ts';
import type { Call } from '../call/call.ts';
import { firstNames } from '../../errors/first-names.ts';
import { holdsSecret, SecretFound, withoutSecrets } from '../call/without-secrets.ts';
import { keepsSnapshot } from '../snapshots/kept-snapshots.ts';
import type { ReworkFiles } from '../plan/sent-back-work.ts';
import { reworkStart } from './rework-start.ts';
import { sameFile } from '../../run/files/tree.ts';

/** Files that an attempt left, and the problems with them. */
export interface Captured {
  readonly files: readonly FileChange[];
  readonly touched: readonly FileChange[];
  /** Changed links and repositories that are not handed on. */
  readonly links: readonly string[];
  readonly snapshot?: NonNullable<EndedRecord['snapshot']>;
  /** Files that should be handed on but cannot be. */
  readonly problems: readonly Issue[];
  /** Why nothing could be captured at all. */
  readonly failure?: GatelineError;
}

/**
 * Stores the files that the gate hands on, and lists what else it changed. A file that contains a secret is not handed
 * on: redacting it would alter it, and an altered file is not the agent's work.
 */
export async function captureFiles(call: Call, begun: BegunAttempt): Promise<Captured> {
  try {
    return await capture(call, begun);
  } catch (error) {
    // Without disk space, the record of the files cannot be written either.
    if (isDiskFull(error) && begun.unit.gate.files.length > 0) throw error;
    if (!(error instanceof GatelineError) || !/^(?:GIT|WORKSPACE|WORK_TREE|FILE)_/.test(error.code)) throw error;
    return { files: [], touched: [], links: [], problems: [], failure: error };
  }
}

async function capture(call: Call, begun: BegunAttempt): Promise<Captured> {
  const { unit, checkout } = begun;
  const { store, workspace } = call.ports;
  const keep: KeepContent = async (chunks) => {
    try {
      return await store.putStream(withoutSecrets(chunks, call.redactor));
    } catch (error) {
      if (error instanceof SecretFound) return { refused: 'it holds a secret' };
      throw error;
    }
  };
  const work = await checkout.capture();
  const start = begun.rework ?? (await reworkStart(call, unit, begun.started));
  const from = start?.from ?? checkout.from;
  const changes = await workspace.changes(from, work, unit.gate.files, keep, checkout);
  const tree = await keepSnapshot(call, begun, work.tree, changes.files);
  const problems = changes.refused.map(({ path, why }): Issue => ({
    severity: 'error',
    message: `${path} cannot be handed on: ${why}`,
  }));
  const { links } = changes;
  const files = withoutBetween(changes.files, start);
  const touched = withoutBetween(changes.touched, start && { ...start, own: [] });
  return { files, touched, links, snapshot: { from: checkout.from, tree }, problems };
}

/**
 * Keeps what the attempt left, if `snapshots` says so. Files with a secret are not part of it.
 * @returns the version without them
 */
async function keepSnapshot(
  call: Call,
  { unit, checkout }: BegunAttempt,
  tree: TreeId,
  handedOn: readonly FileChange[],
): Promise<TreeId> {
  const { assignment, ports, redactor, refused, observe, holder } = call;
  const { pipeline } = assignment;
  if (holder === 'job') {
    await ports.workspace.keep(checkout.from, tree);
    return tree;
  }
  const known = new Set(handedOn.map(({ path }) => path));
  const screened = await ports.workspace.screen(checkout.from, tree, known, (chunks) => holdsSecret(chunks, redactor));
  for (const { blob } of screened.refused) refused.add(blob);
  if (screened.refused.length > 0) {
    const names = firstNames(
      screened.refused.map(({ path }) => path),
      NAMED,
    );
    await observe({ type: 'notice', unit: unit.key, message: `not kept, since it holds a secret: ${names}` });
  }
  const { maxSize = Infinity } = pipeline.snapshots;
  const bytes = handedOn.reduce((sum, { after }) => sum + (after?.content?.bytes ?? 0), screened.bytes);
  if (bytes <= maxSize && keepsSnapshot(pipeline, unit.gate.id))
    await ports.workspace.keep(checkout.from, screened.tree);
  return screened.tree;
}

/** Removes the contents that attempts of the call left and that are not kept. No attempt is running. */
export async function discardRefused({ refused, ports, snapshot }: Call): Promise<void> {
  if (refused.size > 0) await ports.workspace.discard(refused, (await snapshot()).tree);
}

/** Without files that still are as a later gate left them: of those, the unit's own earlier version is handed on. */
function withoutBetween(changes: readonly FileChange[], start: ReworkFiles | undefined): FileChange[] {
  if (start === undefined) return [...changes];
  const { own, between } = start;
  const left = new Map(between.map((change) => [change.path, change.after]));
  const earlier = new Map(own.map((change) => [change.path, change]));
  return changes.flatMap((change) => {
    const isLeft = left.has(change.path) && sameFile(left.get(change.path)!, change.after);
    if (!isLeft) return [change];
    const before = earlier.get(change.path);
    return before === undefined ? [] : [before];
  });
}

/** What to write in `gateline.yml`. Files outside the workspace cannot be handed on. */
function wayToHandOn({ gate }: Unit, names: readonly string[]): string {
  const own = names.filter((name) => !name.startsWith('../'));
  if (own.length === 0) return '; only files of the workspace are handed on';
  const list = own.map((name) => JSON.stringify(name)).join(', ');
  return gate.files === 'changed'
    ? ''
    : gate.files.length === 0
      ? `. To hand them on: files: [${list}], or files: changed`
      : `. To hand them on, add to files: ${list}`;
}

/** Paths that a notice names. */
const NAMED = 5;

/** Names files that the agent changed and the gate does not hand on: they are kept, but no other gate sees them. */
export async function nameKept(call: Call, unit: Unit, { touched, links, failure }: Captured): Promise<void> {
  if (failure === undefined && touched.length + links.length === 0) return;
  const files = touched.map(({ path }) => path);
  const names = [...files, ...links.map((path) => `${path} (a link or a repository)`)];
  const message =
    failure === undefined
      ? `changed and not handed on: ${firstNames(names, NAMED)}${files.length === 0 ? '' : wayToHandOn(unit, files.slice(0, NAMED))}`
      : `${failure.code}: its changes cannot be determined: ${failure.message}`;
  await call.observe({ type: 'notice', unit: unit.key, message });
}

/**
 * Names done gates that read files which an agent changed in the user's folder: those files are now the user's version.
 */
export async function nameReruns(call: Call, started: StartedRecord, ended: EndedRecord): Promise<void> {
  const { workspace } = call.ports;
  const paths = [...ended.files, ...ended.touched].map(({ path }) => path);
  for (const unit of call.graph.values()) {
    const { key, gate } = unit;
    if (call.journal.state().units.get(key)?.done !== true || gate.inputs?.length === 0) continue;
    const others = fromOtherGates(call, unit, ended);
    const read = paths.filter((path) => workspace.matches(gate.inputs, path) && !others.has(path));
    if (read.length === 0) continue;
    const message = `${firstNames(read, NAMED)} changed in the folder and ${read.length === 1 ? 'is' : 'are'} among its inputs: the gate will run again${key === unitOf(ended) ? wayOut(started) : ''}`;
    await call.observe({ type: 'notice', unit: key, message, rerun: true });
  }
}

/** Paths that a unit reads as another gate handed them on, whatever the folder has there. */
function fromOtherGates({ graph, journal }: Call, { key }: Unit, ended: EndedRecord): ReadonlySet<string> {
  const own = new Map(ended.files.map(({ path, after }) => [path, after]));
  const isOwn = ({ path, after }: FileChange): boolean => own.has(path) && sameFile(own.get(path)!, after);
  const handedOn = upstreamFiles(graph, journal.state(), key).files;
  return new Set(handedOn.filter((change) => !isOwn(change)).map(({ path }) => path));
}

function wayOut({ holder }: StartedRecord): string {
  const tree = holder === 'open' ? 'begin it with `--tree`' : 'let it work in a tree (`workspace: tree`)';
  return `, because it edits what it reads. To avoid that, ${tree} or leave these paths out of its inputs`;
}
