import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { blobIdOf, type Digest } from '../../json/digest.ts';
import { unitKey, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { pathsNotDelivered, pathsWithUnseen, quotedPath } from '../../run/files/delivered-paths.ts';
import { sameFile, type Tree, type TreeDifference } from '../../run/files/tree.ts';
import type { FileChange } from '../../run/records/record.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { PutResult } from '../../workspace/workspace.ts';
import { handedOn } from '../apply.ts';
import { copierOf } from '../call/content.ts';
import type { EnginePorts } from '../ports.ts';
import type { VerifiedRun } from '../verify-run.ts';

/** Names in a message. */
const SHOWN = 10;

/**
 * Digests of files that did not come from the records, by gate: outputs of jobs. Of a gate with legs, those of as many
 * legs as GitHub keeps outputs of.
 */
export type FilesDigests = ReadonlyMap<string, ReadonlySet<Digest>>;

/** The files of a run to deliver. */
export interface DeliveryOrder {
  /** Ids of the gates whose files are delivered. */
  readonly gates: readonly string[];
  /** Paths from the top of the repository that are delivered although something would run them by itself. */
  readonly allow: readonly string[];
  /** Digests of the files of gates, by gate, that did not come from the records: see {@link FilesDigests}. */
  readonly digests: FilesDigests;
  /** Path of the workspace in its repository, with a slash at the end; '' at the top. */
  readonly prefix: string;
  /** Absolute path of a folder for copies of what is replaced. */
  readonly saved: string;
  /** Files that no gate handed on. One at a path of a gate's file is left out. Default: none. */
  readonly documents?: readonly { readonly path: string; readonly text: string }[];
}

/** A file that differs from the checkout's commit. */
export interface DeliveredFile extends TreeDifference {
  readonly after: FileChange['after'];
}

/** Files of gates in a checkout. */
export interface DeliveredFiles {
  /** Paths are relative to the workspace. */
  readonly files: readonly DeliveredFile[];
  /** The workspace before and after. */
  readonly from: string;
  readonly to: string;
}

/** The digest of the files that an attempt handed on, which its job hands to the job that delivers them. */
export function filesDigest({ files }: { readonly files: readonly FileChange[] }): Digest {
  return digestOfJson(
    files.map(({ path, after }) => [path, after && [after.mode, after.blob, after.content?.digest ?? null]]),
  );
}

/**
 * Puts the files that gates of a run handed on into a checkout without changes. All or nothing: a gate that is not
 * done, files that its job did not report, a path that something would run by itself, and a path that is not as the
 * gates found it stop the delivery before anything is written.
 * @throws GatelineError `DELIVERY_NOT_DONE`, `DELIVERY_UNPROVEN`, `DELIVERY_PATH_REFUSED`, `DELIVERY_CONFLICT`,
 *   `FILES_CONFLICT`, `GATE_UNKNOWN`, `CONTENT_MISSING`
 */
export async function deliverFiles(
  ports: EnginePorts,
  pipeline: Pipeline,
  { call: { graph }, state, refused }: Pick<VerifiedRun, 'call' | 'state' | 'refused'>,
  order: DeliveryOrder,
): Promise<DeliveredFiles> {
  const { files: made, steps, open } = handedOn(graph, state, order.gates);
  refuseOpen(open, refused);
  refuseUnproven(pipeline, state, order);
  refuseWhatRuns(made, order);
  const { workspace } = ports;
  const { tree: from } = await workspace.snapshot([]);
  const others = (order.documents ?? []).filter(({ path }) => !steps.has(path));
  const files = [...made, ...(await Promise.all(others.map((one) => changeTo(ports, from, one))))];
  const current = await committedFiles(ports, from, files);
  const wanted = files.map(({ path, after }) => ({
    path,
    after,
    over: steps.get(path)?.flatMap((step) => [step.before, step.after]) ?? [current.get(path) ?? null],
  }));
  const reason = {
    what: 'apply' as const,
    pipeline: pipeline.id,
    subject: state.subject,
    runNumber: state.runNumber,
    at: ports.now().toISOString(),
  };
  const options = { saved: order.saved, copy: copierOf({ ports }), reason };
  const planned = await workspace.put(wanted, from, { ...options, dryRun: true });
  refuseConflicts(planned);
  const to = await workspace.build(from, files, options.copy);
  refuseConflicts(await workspace.put(wanted, from, { ...options, dryRun: false }));
  const changed = files.map(({ path, after }) => ({ path, before: current.get(path) ?? null, after }));
  return { files: changed.filter(({ before, after }) => !sameFile(before, after)), from, to };
}

/** A document as a file of a gate: `copy` and the commit read its content from the store. */
async function changeTo(
  { store }: EnginePorts,
  tree: string,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<FileChange> {
  const content = await store.put(text);
  const blob = blobIdOf(new TextEncoder().encode(text), tree);
  return { path, before: null, after: { mode: '100644', blob, content } };
}

function refuseOpen(open: readonly UnitKey[], refused: VerifiedRun['refused']): void {
  const [first] = open;
  const [[key, error] = []] = refused;
  if (first === undefined && error === undefined) return;
  const why = error === undefined ? `${firstNames(open, SHOWN)} not done` : `the output of gate ${key} is refused`;
  throw new GatelineError('DELIVERY_NOT_DONE', `nothing is delivered: ${why}`, { ...(error && { cause: error }) });
}

/**
 * Any job of the run can write a record with other files. Outputs of jobs do not pass through artifacts. Of the job of
 * a matrix gate, GitHub keeps the output of one leg only, so such a gate cannot hand files to a delivery. In a wave,
 * each leg has outputs of its own.
 * @throws GatelineError `DELIVERY_UNPROVEN`
 */
export function refuseUnproven(
  pipeline: Pipeline,
  state: RunState,
  { gates, digests }: Pick<DeliveryOrder, 'gates' | 'digests'>,
): void {
  for (const id of gates) {
    const { legs } = pipeline.gates.find((gate) => gate.id === id)!;
    const ended = legs.flatMap((leg) => state.units.get(unitKey(id, leg.id))?.ended ?? []);
    if (ended.every(({ files }) => files.length === 0)) continue;
    const reported = digests.get(id) ?? new Set();
    const other = ended.map(filesDigest).find((one) => !reported.has(one));
    if (other === undefined) continue;
    const why =
      reported.size === 0
        ? 'its job has no output `files-digest`'
        : legs.length > reported.size
          ? 'it has several legs, and GitHub keeps the outputs of one'
          : `its job says that they are ${[...reported].join(' and ')}, its record says ${other}`;
    throw new GatelineError('DELIVERY_UNPROVEN', `the files of gate ${id} are not verified: ${why}`);
  }
}

/**
 * Refuses files that something would run by itself once they are in a repository, and names that nobody can read.
 * @throws GatelineError `DELIVERY_PATH_REFUSED`
 */
export function refuseWhatRuns(
  files: readonly FileChange[],
  { allow, prefix }: Pick<DeliveryOrder, 'allow' | 'prefix'>,
  hint?: string,
): void {
  const paths = files.map(({ path }) => `${prefix}${path}`);
  const running = pathsNotDelivered(paths, allow);
  const refused = running.length > 0 ? running : pathsWithUnseen(paths, allow);
  if (refused.length === 0) return;
  const names = firstNames(refused.map(quotedPath), SHOWN);
  const message =
    running.length > 0
      ? `gates changed what runs by itself: ${names}`
      : `names of files have characters that cannot be seen: ${names}`;
  throw new GatelineError('DELIVERY_PATH_REFUSED', message, hint === undefined ? {} : { hint });
}

/**
 * The files of the checkout at these paths, which steps before this one must not have changed.
 * @throws GatelineError `DELIVERY_CONFLICT`
 */
async function committedFiles({ workspace }: EnginePorts, tree: string, files: readonly FileChange[]): Promise<Tree> {
  const current = await workspace.currentFiles(
    tree,
    files.map(({ path }) => path),
  );
  const changed: string[] = [];
  for (const { path } of files) {
    const committed = await workspace.committed(path);
    if (committed === undefined || !sameFile(committed, current.get(path) ?? null)) changed.push(JSON.stringify(path));
  }
  if (changed.length === 0) return current;
  throw new GatelineError('DELIVERY_CONFLICT', `the checkout is not clean: ${firstNames(changed, SHOWN)}`);
}

function refuseConflicts({ puts }: PutResult): void {
  const conflicts = puts.filter(({ action }) => action === 'conflict');
  if (conflicts.length === 0) return;
  const list = conflicts.map(({ path, why }) => `${JSON.stringify(path)} (${why ?? 'it was changed'})`);
  throw new GatelineError(
    'DELIVERY_CONFLICT',
    `these paths are not as the gates found them: ${firstNames(list, SHOWN)}`,
  );
}
