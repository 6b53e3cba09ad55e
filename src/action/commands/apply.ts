import { join, posix } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { deliverFiles, type DeliveredFiles } from '../../engine/delivery/deliver.ts';
import { documentWith, newLearnings, PATTERNS } from '../../local/memory/documents.ts';
import { documentPath } from '../../memory/documents.ts';
import { code } from '../../report/markdown/markdown.ts';
import { count } from '../../report/text.ts';
import { asCommit } from '../delivery/commit-to-branch.ts';
import type { DeliveryText } from '../delivery/delivery-text.ts';
import { deliverSubjects } from '../delivery/deliver-subjects.ts';
import { prefixOf, targetOf } from '../delivery/target.ts';
import { filesDigests } from '../inputs/job-results.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openSurroundings, type JobContext } from '../job/job.ts';
import { viewRun, type ReportedRun } from '../report/run-to-report.ts';

/**
 * `command: apply`: puts the files that gates handed on into the checkout of a job without an agent, and delivers them
 * as the input `deliver` says: as a patch, a commit on the branch of the run, or a pull request to it.
 */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { inputs } = invocation;
  if (inputs.set !== undefined) return deliverSubjects(invocation);
  const as = inputs.deliver;
  // Before anything is written.
  const target = as === 'commit' || as === 'pull-request' ? targetOf(invocation.event) : undefined;
  const around = await openSurroundings(invocation);
  const view = await viewRun(invocation, around);
  const prefix = prefixOf(invocation, around);
  const delivered = await putFiles(invocation, around, view, prefix);
  const { files } = delivered;
  const what = { pipeline: view.assignment.pipeline.id, gates: inputs.gates, files, prefix };
  if (files.length === 0) return told(invocation, what, 'The gates changed no files.');
  const done =
    as === 'files'
      ? 'They are in the checkout.'
      : as === 'patch'
        ? await asPatch(invocation, around, delivered, what)
        : await asCommit(invocation, around, { target: target!, what, as: as === 'commit' ? as : 'pull-request' });
  return told(invocation, what, done);
}

async function putFiles(
  { event, inputs }: ActionInvocation,
  { ports, definition }: JobContext,
  view: ReportedRun,
  prefix: string,
): Promise<DeliveredFiles> {
  return deliverFiles(ports, view.assignment.pipeline, view, {
    documents: inputs.learnings ? await learned(view, definition.root) : [],
    gates: inputs.gates,
    allow: inputs.allow,
    digests: filesDigests(inputs.needs),
    prefix,
    saved: join(event.temp, 'gateline', 'applied', String(event.runAttempt)),
  });
}

/** The document with what the agents of the run learned; none if it has all of it. */
async function learned({ call }: ReportedRun, root: string): Promise<{ path: string; text: string }[]> {
  const { added, document } = await documentWith(root, PATTERNS, await newLearnings(call, root));
  return added.length === 0 ? [] : [{ path: documentPath(PATTERNS), text: document }];
}

/** The patch as a file of the job, and as an artifact. */
async function asPatch(
  { world, event }: ActionInvocation,
  { ports, store }: JobContext,
  { from, to, files }: DeliveredFiles,
  { pipeline }: DeliveryText,
): Promise<string> {
  const paths = files.map(({ path }) => path);
  const patch = await ports.workspace.wholePatch(from, to, paths);
  const name = `${pipeline}-${event.runNumber}-${event.runAttempt}.patch`;
  const file = join(event.temp, 'gateline', name);
  await writeFile(file, patch);
  world.runner.setOutput('patch-file', file);
  const kept = await store.keepDocument(name, patch);
  if (typeof kept === 'string') return `The patch is the artifact ${name}.`;
  world.runner.annotate('warning', `The patch was not uploaded: ${kept.problem}`);
  return 'The patch is in the file that the output `patch-file` names.';
}

async function told(
  { world, inputs }: ActionInvocation,
  { pipeline, gates, files, prefix }: DeliveryText,
  done: string,
): Promise<StepResult> {
  const message = `${pipeline}: ${count(files.length, 'file')} of ${gates.join(', ')}`;
  const list = files.slice(0, 100).map(({ path }) => `- ${code(posix.join(prefix, path))}`);
  if (inputs.summary) await world.runner.appendSummary(`## Delivered\n\n${message}. ${done}\n\n${list.join('\n')}\n`);
  return { ok: true, title: 'Delivered', message: `${message}. ${done}` };
}
