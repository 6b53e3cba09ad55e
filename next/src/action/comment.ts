import { z } from 'zod';
import { GatelineError, messageOf } from '../errors.ts';
import { explainRequestError, readRest } from '../github/octokit.ts';
import { renderComment, renderRunningComment } from '../report/github/comment.ts';
import type { GithubContext } from '../report/github/context.ts';
import { createRunView } from '../report/run-view.ts';
import { code, quote } from '../report/markdown.ts';
import { approvalDigest, parseArtifactName, type AttemptReference } from '../store/github/document.ts';
import { readAttempt } from '../store/github/publish.ts';
import { collectRun } from './collect-run.ts';
import {
  explainRefusal,
  parseCommentCommand,
  parseComments,
  type Comment,
  type CommentCommand,
} from './comment-decisions.ts';
import { readTrustedDefinition } from './definition.ts';
import { approvalLine } from './gate-report.ts';
import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';
import type { NeedDocument } from './needs.ts';
import { writeStickyComment } from './report/sticky-comment.ts';
import { readRemoteFile, type Services } from './services.ts';
import { createGit } from '../workspace/git.ts';

const runSchema = z.object({
  id: z.int(),
  run_number: z.int(),
  run_attempt: z.int(),
  html_url: z.string(),
  path: z.string(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  head_sha: z.string(),
  event: z.string(),
});
type Run = z.infer<typeof runSchema>;
const pullSchema = z.object({
  number: z.int(),
  head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});

/**
 * The action `comment`, in a job without an agent: carries out a command in a new comment, or shows a run of a pull
 * request that works or has ended, which a job of a fork may not do itself.
 */
export async function handleComment(job: Job, inputs: Inputs<'comment'>, services: Services): Promise<boolean> {
  const { workflow_run: run, comment, issue } = job.event;
  if (run) return showRun(job, inputs, services, run);
  if (comment && issue?.pull_request) return answerComment(job, services, issue.number, comment.id);
  services.runner.info(`Nothing to do for ${job.eventName}: this is no comment on a pull request, and no run of one.`);
  return true;
}

/** Carries out the command in a comment, as it stands now. */
async function answerComment(job: Job, services: Services, pullRequest: number, id: number): Promise<boolean> {
  const { octokit, runner, report } = services;
  const [owner = '', repo = ''] = job.repository.split('/');
  const client = await octokit();
  const read = () => client.rest.issues.getComment({ owner, repo, comment_id: id });
  const [comment] = parseComments([await readRest('The look at the comment', 'pull-requests: write', read, report)]);
  const command = parseCommentCommand(comment!.body ?? '');
  if (command === undefined) return true;
  const reply = async (text: string): Promise<void> => {
    await client.rest.issues
      .createComment({ owner, repo, issue_number: pullRequest, body: text })
      .catch((error: unknown) => {
        throw explainRequestError('The answer to the comment', 'pull-requests: write', error);
      });
  };
  const refusal = await explainRefusal(client, { owner, repo, pullRequest }, comment!);
  if (refusal !== undefined) {
    // Whoever may decide nothing gets no answer: comments could be made without end.
    runner.annotate('notice', `Nothing was done: ${refusal}.`);
    return true;
  }
  if ('problem' in command) await reply(`Nothing was done: ${quote(command.problem)}.`);
  else await reply(await carryOut(job, services, { pullRequest, comment: comment! }, command));
  return true;
}

async function carryOut(
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
  if (!('unit' in command)) return rerun(job, services, runs);
  const { unit, digest } = command;
  const newest = await findNewest(job, services, runs, unit);
  if (newest === undefined)
    return `Nothing was done: ${code(unit)} has left no output for the head of this pull request.`;
  const { document } = newest.need;
  if (approvalDigest(document.entry.fingerprint, newest.need.reference.digest) !== digest)
    return [
      `Nothing was done: the line names another output than the newest one of ${code(unit)}. Look at that, then post:`,
      `\`\`\`text\n${approvalLine(unit, document, newest.need.reference, { pullRequest, ref: '' }).replace('approve', command.command)}\n\`\`\``,
    ].join('\n\n');
  const done = `${command.command === 'approve' ? 'Approved' : 'Rejected'} by ${code(comment.user!.login)}: ${code(unit)}.`;
  return `${done} ${await rerun(job, services, [newest.run])}`;
}

/** Runs for the head of a pull request that have artifacts of gates, the newest first. */
async function listRuns(job: Job, { octokit, report }: Services, pullRequest: number): Promise<readonly Run[]> {
  const [owner = '', repo = ''] = job.repository.split('/');
  const { rest } = await octokit();
  const pull = pullSchema.parse(
    await readRest(
      'The look at the pull request',
      'pull-requests: read',
      () => rest.pulls.get({ owner, repo, pull_number: pullRequest }),
      report,
    ),
  );
  const list = () => rest.actions.listWorkflowRunsForRepo({ owner, repo, head_sha: pull.head.sha, per_page: 50 });
  const answer = z
    .object({ workflow_runs: z.array(runSchema) })
    .parse(await readRest('The list of runs', 'actions: read', list, report));
  return answer.workflow_runs
    .filter(({ event, path }) => event === 'pull_request' && path.split('@')[0] !== job.workflow)
    .sort((a, b) => b.id - a.id);
}

async function rerun(job: Job, { octokit }: Services, runs: readonly Run[]): Promise<string> {
  const [owner = '', repo = ''] = job.repository.split('/');
  const { rest } = await octokit();
  const failed = runs.filter(({ conclusion }) => conclusion === 'failure' || conclusion === 'cancelled');
  if (failed.length === 0) return 'No run of the head has failed jobs: nothing was run again.';
  const lines = await Promise.all(
    failed.map(async ({ id, run_number: number, html_url: url }) => {
      try {
        await rest.actions.reRunWorkflowFailedJobs({ owner, repo, run_id: id });
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

/** The newest document of each unit in a run, by its name: unverified, for display and for comparison. */
async function readRun(
  { artifacts, runner }: Services,
  runId: number,
  isWanted: (unit: string) => boolean,
): Promise<readonly NeedDocument[]> {
  const listed = [...((await artifacts.list(runId)) ?? [])].sort((a, b) => b.id - a.id);
  const newest = new Map<string, AttemptReference>();
  for (const { id, name, digest } of listed) {
    const parsed = parseArtifactName(name);
    const unit = parsed && (parsed.leg === '' ? parsed.gate : `${parsed.gate}/${parsed.leg}`);
    if (unit !== undefined && digest !== undefined && isWanted(unit) && !newest.has(unit))
      newest.set(unit, { artifactId: id, digest });
  }
  const needs = [...newest].map(async ([unit, reference]): Promise<NeedDocument[]> => {
    try {
      const document = await readAttempt(artifacts, reference, { job: unit, pipeline: undefined, runId });
      return [{ job: { id: unit.split('/', 1)[0]!, result: 'success', references: [reference] }, reference, document }];
    } catch (error) {
      runner.info(messageOf(error));
      return [];
    }
  });
  return (await Promise.all(needs)).flat();
}

/** Writes into the comment of a pull request that its run works, or how one of a fork has ended. */
async function showRun(
  job: Job,
  { file }: Inputs<'comment'>,
  services: Services,
  run: NonNullable<Job['event']['workflow_run']>,
): Promise<boolean> {
  const { octokit, runner, report } = services;
  const [owner = '', repo = ''] = job.repository.split('/');
  if (run.event !== 'pull_request') return true;
  const { rest } = await octokit();
  const head = `${run.head_repository?.full_name.split('/')[0] ?? owner}:${run.head_branch ?? ''}`;
  const find = () => rest.pulls.list({ owner, repo, head, state: 'open', per_page: 100 });
  const pulls = z
    .array(pullSchema)
    .parse(await readRest('The look for the pull request', 'pull-requests: write', find, report));
  const pull = pulls.find((other) => other.head.sha === run.head_sha);
  const isFork = run.head_repository?.full_name.toLowerCase() !== job.repository.toLowerCase();
  // A run of the repository itself reports its end.
  if (!pull || (job.event.action === 'completed' && !isFork)) return true;
  const pipeline = await findPipeline(job, file, services);
  const subject = `pr-${pull.number}`;
  const context: GithubContext = {
    server: job.server,
    repository: job.repository,
    runId: run.id,
    runNumber: run.run_number,
    runAttempt: run.run_attempt,
    sha: run.head_sha,
    eventName: run.event,
    pullRequest: pull.number,
  };
  const body =
    job.event.action === 'completed'
      ? await renderEnd(services, { pipeline, subject, context, conclusion: run.conclusion })
      : renderRunningComment({ pipeline: pipeline.id, subject }, context);
  const written = await writeStickyComment(await octokit(), { owner, repo, issue_number: pull.number }, body, report);
  if (written.choice === 'failed') throw written.error;
  runner.info(`The comment was ${written.choice}: ${written.url}`);
  return true;
}

async function findPipeline(job: Job, file: string | undefined, services: Services) {
  const readRemote = (commit: string, path: string) => readRemoteFile(services, job, commit, path);
  const git = createGit(services.environment);
  const place = { checkout: job.workspace, git, readRemote };
  return (await readTrustedDefinition(job, file, place, false)).pipeline;
}

interface EndedRun {
  readonly pipeline: Awaited<ReturnType<typeof findPipeline>>;
  readonly subject: string;
  readonly context: GithubContext;
  readonly conclusion: string | null;
}

/** How a fork's run has ended, by its own documents: for display only. */
async function renderEnd(services: Services, { pipeline, subject, context, conclusion }: EndedRun): Promise<string> {
  const documents = await readRun(services, context.runId, () => true);
  const { entries, problems } = collectRun({
    run: context.runNumber,
    pipeline,
    jobs: documents.map(({ job }) => job),
    documents: documents.filter(({ document }) => document.entry.pipeline === pipeline.id),
    allowSkipped: [],
    subject,
    now: new Date().toISOString(),
  });
  const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history: [] });
  const failed = conclusion === 'success' ? [] : [`the workflow ended: ${conclusion ?? 'unknown'}`];
  return renderComment(view, { ...context, problems: [...failed, ...problems] });
}

/** @throws GatelineError if this is no event that the action knows */
export function requireEvent({ eventName }: Job): void {
  if (!['issue_comment', 'workflow_run'].includes(eventName))
    throw new GatelineError('usage', `\`comment\` works on issue_comment and workflow_run, not on ${eventName}`);
}
