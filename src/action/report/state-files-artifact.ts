import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { handoffFrom } from '../../engine/plan/handoff.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { FORMATS } from '../../formats/formats.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { documentsFor, stateForAgents } from '../../local/projector.ts';
import { subjectSlug } from '../../run/records/subject.ts';
import { graphOf, unitsOf } from '../../run/records/unit.ts';
import { handoffText } from '../../run/state/handoff.ts';
import { createProjections } from '../../store/filesystem/projections/projections.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobContext } from '../job/job.ts';
import type { ReportedRun } from './run-to-report.ts';

/** Larger outputs are left out: they are artifacts of their own. Bytes. */
const LARGEST = 1024 * 1024;

/** Files by name. */
type Files = ReadonlyArray<readonly [string, Uint8Array]>;

/**
 * Uploads the files of other systems about the run as one artifact, if the step or the definition asks for them.
 * Problems are notices: the files decide nothing.
 * @param earlier outcomes of earlier runs
 */
export async function keepStateFiles(
  invocation: ActionInvocation,
  around: JobContext,
  view: ReportedRun,
  earlier: readonly HistoryEntry[],
): Promise<void> {
  const { mirror, store } = around;
  const { runner } = invocation.world;
  if (mirror.length === 0) return;
  const { pipeline, subject } = view.assignment;
  // Each subject of a set has a report in the same run.
  const of = invocation.inputs.set === undefined ? '' : `.${subjectSlug(subject)}`;
  const name = `gateline-${pipeline.id}-${invocation.event.runAttempt}${of}.state`;
  try {
    const guide = mirror.includes('state-guide') ? await guideFiles(invocation, view) : [];
    const kept = await store.keepFolder(name, new Map([...guide, ...(await otherFiles(around, view, earlier))]));
    if (kept === 'kept') return runner.info(`The state files of this run are the artifact ${name}.`);
    const why = kept === 'taken' ? 'this run attempt has an artifact of that name' : kept.problem;
    runner.annotate('notice', `The state files ${name} were not uploaded: ${why}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    runner.annotate('notice', `The state files ${name} were not made: ${error.code}: ${error.message}`);
  }
}

/** The files of the state guide. */
async function guideFiles(
  { world: { runner }, event }: ActionInvocation,
  { call, state, assignment }: ReportedRun,
): Promise<Files> {
  const { pipeline, metadata } = assignment;
  const workspace = join(event.temp, 'gateline');
  const root = join(workspace, 'state-files');
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  const about = { graph: unitsOf(pipeline), groups: pipeline.groups, metadata, redact: call.redactor.redactText };
  const projections = await createProjections({
    root,
    workspace,
    documents: documentsFor(about),
    readContent: (digest) => call.ports.store.get(digest),
    maxInlineOutput: LARGEST,
    isCopy: true,
  });
  const notices = await projections.update(stateForAgents(state, assignment), state.units.keys());
  for (const { message } of notices) runner.annotate('notice', message);
  const names = (await readdir(root)).filter((file) => /\.(?:json|md)$/.test(file));
  return Promise.all(names.map(async (file) => [file, await readFile(join(root, file))] as const));
}

/** Those of the other systems, in the folders where they keep them. */
async function otherFiles(
  { mirror, definition: { root, file = '' } }: JobContext,
  { call, state: found, assignment }: ReportedRun,
  earlier: readonly HistoryEntry[],
): Promise<Files> {
  const formats = mirror.filter((name) => name !== 'state-guide');
  if (formats.length === 0) return [];
  const [{ withOutputs }, { readDocuments }] = await Promise.all([
    import('../../local/exchange/exported-run.ts'),
    import('../../local/memory/documents.ts'),
  ]);
  const { pipeline, metadata } = assignment;
  const { runNumber } = found;
  const state = stateForAgents(found, assignment);
  const records = call.journal.records().filter((record) => record.runNumber === runNumber);
  const handoff = await handoffFrom(call, records);
  const known = {
    state,
    pipeline,
    graph: graphOf(unitsOf(pipeline), state.units.values()),
    definition: file,
    metadata,
    records,
    others: earlier.filter(({ run }) => run !== runNumber),
    documents: await readDocuments(root),
    handoff: handoff === undefined ? '' : handoffText(handoff),
    estimatedMs: undefined,
  };
  const { ports, redactor } = call;
  const run = await withOutputs(known, { store: ports.store, now: ports.now(), redact: redactor.redactText });
  return formats.flatMap((name) => {
    const format = FORMATS[name]!;
    return format.write(run).map(({ path, text }) => [posix.join(format.folder, path), Buffer.from(text)] as const);
  });
}
