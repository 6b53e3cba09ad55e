import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { isSameRepository } from '../../github/octokit.ts';
import type { Definition } from '../../local/project/load-definition.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import { renderComment, renderRunningComment, type CommentSubject } from '../../report/github/comment.ts';
import type { GithubContext } from '../../report/github/context.ts';
import { createRunView } from '../../report/run-view.ts';
import { gateOf } from '../../run/units.ts';
import { parseArtifactName, type DocumentReference } from '../../store/github/document.ts';
import { readAttempt } from '../../store/github/attempts.ts';
import { collectRun, pipelineOf } from './collect-run.ts';
import { describedPipelineId, findTrustedDefinition } from '../gate/definition.ts';
import { applyJudgement, createJudge } from '../gate/judge-need.ts';
import type { Inputs } from '../inputs.ts';
import { DEPENDABOT, type Job } from '../job.ts';
import type { NeedDocument } from '../gate/needs.ts';
import { writeStickyComment } from './sticky-comment.ts';
import { definitionPlace, type Services } from '../services.ts';

export const pullSchema = z.object({
  number: z.int(),
  head: z.object({ sha: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
});

/** Writes into the comment of a pull request that its run has started, or the report of a fork's run that has ended. */
export async function showRun(
  job: Job,
  { file }: Inputs<'comment'>,
  services: Services,
  run: NonNullable<Job['event']['workflow_run']>,
): Promise<boolean> {
  const { github, runner } = services;
  if (run.event !== 'pull_request') return true;
  const head = `${(run.head_repository?.full_name ?? job.repository).split('/')[0]}:${run.head_branch ?? ''}`;
  const pulls: unknown = await github.read(
    'The request for the pull requests',
    'pull-requests: write',
    ({ rest }, place) => rest.pulls.list({ ...place, head, state: 'open', per_page: 100 }),
  );
  const list = z.array(pullSchema).parse(pulls);
  const pull = list.find((other) => other.head.sha === run.head_sha);
  // Runs of the repository itself report their end, unless their token may not write.
  const isSame = isSameRepository(run.head_repository?.full_name, job.repository);
  const reports = isSame && run.actor?.login !== DEPENDABOT;
  if (!pull || (job.event.action === 'completed' && reports)) return true;
  const definition = await findTrustedDefinition(job, file, definitionPlace(job, services));
  const about: CommentSubject = {
    pipeline: definition?.pipeline.id ?? describedPipelineId({ workflow: run.path.split('@')[0]! }),
    subject: definition?.pipeline.subject ?? `pr-${pull.number}`,
  };
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
  // The job as one of that run.
  const source: Job = {
    ...job,
    actor: run.actor?.login ?? '',
    trust: { ...job.trust, isOutside: !isSame },
    pullRequest: { number: pull.number, headRepository: undefined, ...NO_BRANCHES },
  };
  const body =
    job.event.action === 'completed'
      ? await renderEnd(source, services, { definition, ...about }, context, run.conclusion)
      : renderRunningComment(about, context);
  const { choice, url } = await writeStickyComment(github, pull.number, body);
  runner.info(`The comment was ${choice}: ${url}`);
  return true;
}

/** Placeholders: decisions are read without branches and commits. */
const NO_BRANCHES = { headSha: '', headBranch: '', baseSha: '', baseBranch: '' };

/** The report of a fork's run, from its documents, judged as a report judges them, for display only. */
async function renderEnd(
  job: Job,
  services: Services,
  { definition, pipeline: id, subject }: CommentSubject & { readonly definition: Definition | undefined },
  context: GithubContext,
  conclusion: string | null,
): Promise<string> {
  const all = await readRun(services, context.runId, () => true);
  const documents = all.filter(({ document }) => document.entry.pipeline === id);
  const described = documents.map(({ document }) => [gateOf(document.entry.unit), document.contract] as const);
  const { pipeline, contracts } = definition ?? { pipeline: pipelineOf(documents, id), contracts: new Map(described) };
  const judge = createJudge(job, services, pipeline, contracts);
  const { entries } = collectRun({
    run: context.runNumber,
    pipeline,
    jobs: documents.map(({ job }) => job),
    documents: await Promise.all(documents.map((need) => applyJudgement(need, judge))),
    artifactGates: [],
    allowSkipped: [],
    subject,
    now: new Date().toISOString(),
  });
  const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history: [] });
  // The jobs of the run are not known here, so its conclusion is shown unless a gate explains it.
  const problem = documents.length === 0 ? 'no gate has left a result' : `the workflow ended: ${conclusion}`;
  const isExplained = documents.length > 0 && (conclusion === 'success' || view.units.some(({ done }) => !done));
  return renderComment(view, { ...context, problems: isExplained ? [] : [problem] });
}

/** The newest document of each unit in a run, found by name and not verified: for display and comparison only. */
export async function readRun(
  { artifacts, runner }: Services,
  runId: number,
  isWanted: (unit: string) => boolean,
): Promise<readonly NeedDocument[]> {
  const listed = [...((await artifacts.list(runId)) ?? [])].sort((a, b) => b.id - a.id);
  const newest = new Map<string, DocumentReference>();
  for (const { id, name, digest } of listed) {
    const parsed = parseArtifactName(name);
    const unit = parsed && unitKey(parsed.gate, parsed.leg);
    if (unit !== undefined && digest !== undefined && isWanted(unit) && !newest.has(unit))
      newest.set(unit, { artifactId: id, digest });
  }
  const needs = [...newest].map(async ([unit, reference]): Promise<NeedDocument[]> => {
    try {
      const document = await readAttempt(artifacts, reference, { job: unit, pipeline: undefined, runId });
      return [{ job: { id: gateOf(unit), result: 'success', references: [reference] }, reference, document }];
    } catch (error) {
      runner.info(messageOf(error));
      return [];
    }
  });
  return (await Promise.all(needs)).flat();
}
