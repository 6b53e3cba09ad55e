import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import type { Github } from '../../github/octokit.ts';
import { code, quote } from '../../report/markdown.ts';
import { approvalDigest } from '../../store/github/document.ts';
import type { Comment, CommentCommand } from '../comment-decisions.ts';
import { approvalLine } from '../gate/gate-report.ts';
import type { NeedDocument } from '../gate/needs.ts';
import type { Job } from '../job.ts';
import type { Services } from '../services.ts';
import { pullSchema, readRun } from '../report/show-run.ts';

const runSchema = z.object({
  id: z.int(),
  run_number: z.int(),
  html_url: z.string(),
  path: z.string(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  event: z.string(),
  head_repository: z.object({ full_name: z.string() }).nullish(),
});
type Run = z.infer<typeof runSchema>;

/**
 * Carries out a command of a person with write access. For a decision it only re-runs the failed jobs: the gate's job
 * reads the comment itself (`readCommentDecisions`).
 * @returns the reply, Markdown
 */
export async function rerunFor(
  job: Job,
  services: Services,
  { pullRequest, comment }: { readonly pullRequest: number; readonly comment: Comment },
  command: CommentCommand,
): Promise<string> {
  const runs = await listRuns(job, services, pullRequest);
  if (runs.length === 0) return 'Nothing was done: no workflow with gates has run for the head of this pull request.';
  if (!('unit' in command) && command.command === 'status')
    return runs
      .map((run) => `- [run ${run.run_number}](${run.html_url}): ${run.conclusion ?? run.status ?? ''}`)
      .join('\n');
  if (!('unit' in command)) return rerunFailed(services.github, runs);
  const { unit, digest } = command;
  const newest = await findNewest(job, services, runs, unit);
  if (newest === undefined)
    return `Nothing was done: ${code(unit)} has left no output for the head of this pull request.`;
  const { waits = false, decision, entry } = newest.need.document;
  const isApproved = decision?.entry.decision === 'approve';
  if (!waits && !isApproved)
    return `Nothing was done: the output of ${code(unit)} waits for nobody (${entry.verdict.kind}). Its agent works again if a file that it reads changes.`;
  const { document, reference } = outputOf(newest.need);
  if (approvalDigest(document.entry.fingerprint, reference.digest) !== digest)
    return [
      `Nothing was done: the line names another output than the newest one of ${code(unit)}. Look at that, then post:`,
      `\`\`\`text\n${approvalLine(unit, document, reference, { pullRequest, ref: '' }).replace('approve', command.command)}\n\`\`\``,
    ].join('\n\n');
  const isReject = command.command === 'reject';
  const done = `${isReject ? 'Rejected' : 'Approved'} by ${code(comment.user!.login)}: ${code(unit)}.`;
  const effect = 'Its approval does not count any more: its agent works again in the next run.';
  const lines = [done, ...(isReject && isApproved ? [effect] : []), await rerunFailed(services.github, [newest.run])];
  return lines.join(' ');
}

/** The output that a decision names: for one that is used by an approval, the approved one. */
function outputOf({ document, reference }: NeedDocument): Pick<NeedDocument, 'document' | 'reference'> {
  const { entry, source } = document.decision ?? {};
  if (entry?.decision !== 'approve' || !source) return { document, reference };
  const { fingerprint } = entry;
  return { document: { ...document, entry: { ...document.entry, fingerprint } }, reference: source };
}

/** Runs for the head of a pull request that have artifacts of gates, the newest first. */
async function listRuns(job: Job, { github }: Services, pullRequest: number): Promise<readonly Run[]> {
  const pullData: unknown = await github.read(
    'The request for the pull request',
    'pull-requests: read',
    ({ rest }, place) => rest.pulls.get({ ...place, pull_number: pullRequest }),
  );
  const pull = pullSchema.parse(pullData);
  const runsData: unknown = await github.read('The request for the runs', 'actions: read', ({ rest }, place) =>
    rest.actions.listWorkflowRunsForRepo({ ...place, head_sha: pull.head.sha, per_page: 50 }),
  );
  const { workflow_runs: runs } = z.object({ workflow_runs: z.array(runSchema) }).parse(runsData);
  // Without runs of forks, which may be of the same commit.
  const head = pull.head.repo?.full_name;
  return runs
    .filter(({ head_repository: repository }) => repository?.full_name === head)
    .filter(({ event, path }) => event === 'pull_request' && path.split('@')[0] !== job.workflow)
    .sort((a, b) => b.id - a.id);
}

/** Re-runs the failed jobs of runs. @returns the result, for the reply */
async function rerunFailed(github: Github, runs: readonly Run[]): Promise<string> {
  const { rest } = await github.octokit();
  const failed = runs.filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'cancelled');
  if (failed.length === 0) {
    const working = runs.find(({ conclusion }) => !conclusion);
    if (working === undefined) return 'No run of the head has failed jobs: nothing was run again.';
    return `[run ${working.run_number}](${working.html_url}) still works: post \`/gateline retry\` when it has ended.`;
  }
  const lines = await Promise.all(
    failed.map(async ({ id, run_number: number, html_url: url }) => {
      try {
        await rest.actions.reRunWorkflowFailedJobs({ ...github.place, run_id: id });
        return `The failed jobs of [run ${number}](${url}) run again.`;
      } catch (error) {
        return `The failed jobs of [run ${number}](${url}) cannot be run again: ${quote(messageOf(error))}. Its job needs \`actions: write\`.`;
      }
    }),
  );
  return lines.join('\n');
}

/** The newest document of a unit in the newest run that has one. */
async function findNewest(job: Job, services: Services, runs: readonly Run[], unit: string) {
  for (const run of runs) {
    const needs = await readRun(services, run.id, (name) => name === unit);
    const need = needs.find(
      ({ document }) => document.entry.unit === unit && document.job.repository === job.repository,
    );
    if (need) return { run, need };
  }
  return undefined;
}
