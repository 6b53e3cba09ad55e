import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { documentsFor, stateForAgents } from '../../local/projector.ts';
import { unitsOf } from '../../run/records/unit.ts';
import { createProjections } from '../../store/filesystem/projections/projections.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobContext } from '../job/job.ts';
import type { ReportedRun } from './run-to-report.ts';

/** Larger outputs are left out: they are artifacts of their own. Bytes. */
const LARGEST = 1024 * 1024;

/**
 * Uploads the state guide's files of the run as one artifact, if the step or the definition asks for them. Problems are
 * notices: the files decide nothing.
 */
export async function keepStateFiles(
  { world: { runner }, event }: ActionInvocation,
  { store, stateFiles }: JobContext,
  { call, state, assignment }: ReportedRun,
): Promise<void> {
  if (stateFiles === undefined) return;
  const { pipeline, metadata } = assignment;
  const name = `gateline-${pipeline.id}-${event.runAttempt}.state`;
  const workspace = join(event.temp, 'gateline');
  const root = join(workspace, 'state-files');
  try {
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
    const files = await Promise.all(names.map(async (file) => [file, await readFile(join(root, file))] as const));
    const kept = await store.keepFolder(name, new Map(files));
    if (kept === 'kept') return runner.info(`The state files of this run are the artifact ${name}.`);
    const why = kept === 'taken' ? 'this run attempt has an artifact of that name' : kept.problem;
    runner.annotate('notice', `The state files ${name} were not uploaded: ${why}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    runner.annotate('notice', `The state files ${name} were not made: ${error.code}: ${error.message}`);
  }
}
