import { claimIn } from '../run/plan/archive.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import { filesLeft } from '../run/files/files.ts';
import { type FileChange } from '../run/records/record.ts';
import { sameFile, type Tree } from '../run/files/tree.ts';
import { ancestorsOf, type UnitGraph } from '../run/records/unit.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { PutResult } from '../workspace/workspace.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { copierOf } from './call/content.ts';
import type { EnginePorts } from './ports.ts';
import { unitsNamed } from '../run/records/named-units.ts';
import { refuseUnfinished } from './snapshots/unfinished-rollback.ts';
import { putReason } from './snapshots/wanted-files.ts';

/** Which files of a run are written into the user's folder. */
export interface ApplyOptions {
  /** Ids of the gates whose files to write. Default: every gate that is done. */
  readonly gates?: readonly string[];
  /** Absolute path of a folder: replaced files are copied there, or next to it if it exists. */
  readonly saved: string;
  /** Report what would be done, and change nothing. */
  readonly dryRun?: boolean;
}

/** The result of {@link applyFiles}. */
export interface Applied extends PutResult {
  /** Done gates whose files were applied. */
  readonly gates: readonly UnitKey[];
  /** Requested gates that are not done: none of their files are applied. */
  readonly open: readonly UnitKey[];
  /** Runs of other subjects, `SUBJECT#RUN`, whose files are at paths in conflict: they are applied first. */
  readonly first?: readonly string[];
}

/**
 * Writes the files that gates of a run hand on into the user's folder. A path is written only if it is still as the run
 * or a gate of it found it, or as one of these gates left it, in any run. Repeating the call completes an interrupted
 * one.
 * @throws GatelineError `GATE_UNKNOWN`, `FILES_CONFLICT`, `CLAIM_IN_PLACE`, `CONTENT_MISSING`, `APPLY_FAILED`
 */
export async function applyFiles(call: Call, options: ApplyOptions): Promise<Applied> {
  const { workspace } = call.ports;
  const { files, steps, units, gates, open } = handedOn(call.graph, call.journal.state(), options.gates);
  if (files.length === 0) return { puts: [], gates, open };
  const { tree } = await call.snapshot();
  const begun = await versionsBegunWith(call, units);
  const left = leftEver(call, units);
  const wanted = files.map(({ path, after }) => ({
    path,
    after,
    over: [
      ...begun.map((version) => version.get(path) ?? null),
      ...steps.get(path)!.flatMap((step) => [step.before, step.after]),
      ...(left.get(path) ?? []).flatMap(({ after }) => after ?? []),
    ],
    listUnchanged: steps.get(path)!.some((step) => !sameFile(step.after, after)),
  }));
  const { saved, dryRun = false } = options;
  const reason = { ...putReason(call, 'apply'), gates: options.gates };
  const put = await workspace.put(wanted, tree, { saved, dryRun, copy: copierOf(call), reason });
  call.forgetSnapshot();
  const inConflict = put.puts.flatMap(({ path, action }) =>
    action === 'conflict' ? steps.get(path)!.slice(0, 1) : [],
  );
  const first = await runsThatLeft(call, inConflict);
  return { ...put, gates, open, ...(first.length > 0 && { first }) };
}

/** The newest run of each other subject that left a path as the first gate found it: in a set, this one needs it. */
async function runsThatLeft({ ports, assignment }: Call, found: readonly FileChange[]): Promise<string[]> {
  const before = new Map(found.flatMap(({ path, before: one }) => (one === null ? [] : [[path, one]])));
  if (before.size === 0) return [];
  const { pipeline, subject: own } = assignment;
  const runs: string[] = [];
  for (const subject of (await ports.store.subjects(pipeline.id)).filter((one) => one !== own)) {
    const { records } = await ports.store.list(pipeline.id, subject);
    const last = records.findLast(
      (record) =>
        record.kind === 'ended' &&
        record.files.some(({ path, after }) => before.has(path) && sameFile(after, before.get(path)!)),
    );
    if (last !== undefined) runs.push(`${subject}#${last.runNumber}`);
  }
  return runs;
}

/** As {@link ApplyOptions}, with the run. */
export interface ApplyRunOptions extends ApplyOptions {
  /** Default: the newest run. */
  readonly runNumber?: number;
}

/**
 * {@link applyFiles} for a run of a subject. The caller holds the workspace's lock.
 * @throws GatelineError `ROLLBACK_UNFINISHED`, and as {@link applyFiles}
 */
export async function apply(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  { runNumber = 0, ...options }: ApplyRunOptions,
): Promise<Applied> {
  await refuseUnfinished(ports);
  const whole = { metadata: assignment.pipeline.metadata, input: null, ...assignment };
  return applyFiles(await openCall(ports, whole, () => undefined, { runNumber }), options);
}

/**
 * The workspace version that a run started with, and the same version with the files that its gates hand on.
 * @throws GatelineError `FILES_CONFLICT`, `CONTENT_MISSING`, and git's errors if the version is no longer stored
 */
export async function versionsOf(call: Call): Promise<{ readonly from: string; readonly to: string }> {
  const { runNumber } = call.journal.state();
  const claims = [...call.journal.archive().started.values()].flat();
  // By time within one call: its gates in place make a new version each, and their attempts have the same numbers.
  const [first] = claims
    .filter((claim) => claim.runNumber === runNumber && claim.base !== undefined)
    .toSorted((a, b) => a.runAttempt - b.runAttempt || Date.parse(a.at) - Date.parse(b.at));
  const base = first?.base ?? (await call.snapshot()).tree;
  const { files } = handedOn(call.graph, call.journal.state(), undefined);
  return { from: base, to: await call.ports.workspace.build(base, files, copierOf(call)) };
}

/** The result of {@link handedOn}. */
interface FilesToApply extends Pick<ReturnType<typeof filesLeft>, 'files' | 'steps'>, Pick<Applied, 'gates' | 'open'> {
  /** The gates whose files are wanted, and those before them: a gate's file includes their changes. */
  readonly units: readonly UnitKey[];
}

/**
 * The files that gates of a run hand on, all gates by default, and what gates made of each path on the way.
 * @throws GatelineError `GATE_UNKNOWN`, `FILES_CONFLICT`
 */
export function handedOn(graph: UnitGraph, state: RunState, gates: readonly string[] | undefined): FilesToApply {
  const asked = new Set(gates && unitsNamed(graph, gates).map(({ key }) => key));
  const wanted = gates === undefined ? [...graph.keys()] : [...graph.keys()].filter((key) => asked.has(key));
  const { files, conflicts } = filesLeft(graph, state, wanted);
  if (conflicts.length > 0) {
    const list = conflicts.map(({ path, gates: by }) => `${path} (${by.join(' and ')})`).join(', ');
    const message = `gates that do not need each other changed the same path differently: ${list}`;
    throw new GatelineError('FILES_CONFLICT', message, {
      hint: 'Name one of them: `gateline diff GATE`, `gateline apply --gate GATE`.',
    });
  }
  const named = wanted.map((key) => state.units.get(key)!);
  const units = withAncestors(graph, wanted);
  return {
    files,
    units,
    steps: filesLeft(graph, state, units).steps,
    gates: named.filter(({ done, ended }) => done && ended !== undefined).map(({ key }) => key),
    open: named.filter(({ done, key }) => !done && asked.has(key)).map(({ key }) => key),
  };
}

/** In the graph's order. */
function withAncestors(graph: UnitGraph, keys: readonly UnitKey[]): UnitKey[] {
  const all = new Set(keys.flatMap((key) => [key, ...ancestorsOf(graph, key)]));
  return [...graph.keys()].filter((key) => all.has(key));
}

/**
 * The versions of the workspace that these gates began with in this run. That of a reused output is not the one that
 * its agent found: in between, the files of other runs may have been applied.
 */
async function versionsBegunWith({ journal, ports }: Call, units: readonly UnitKey[]): Promise<Tree[]> {
  const state = journal.state();
  const archive = journal.archive();
  const bases = units.map((key) => {
    const ended = state.units.get(key)?.ended;
    const claim = ended && claimIn(archive, key, ended);
    return ended?.base ?? claim?.base;
  });
  const known = [...new Set(bases)].filter((base) => base !== undefined);
  const versions = await Promise.all(known.map((base) => ports.workspace.files(base).catch(unlessGone)));
  return versions.filter((files) => files !== undefined);
}

/** The object store may have been removed, or the commit that had the version. */
function unlessGone(error: unknown): undefined {
  if (error instanceof GatelineError && error.code === 'GIT_FAILED') return undefined;
  throw error;
}

/**
 * Files that these gates handed on in any run, by path. Their stored content is used, because no version of the
 * workspace contains an ignored file.
 */
function leftEver({ journal }: Call, units: readonly UnitKey[]): Map<string, FileChange[]> {
  const { ended } = journal.archive();
  const files = units.flatMap((key) => (ended.get(key) ?? []).flatMap((one) => one.files));
  return Map.groupBy(files, ({ path }) => path);
}
