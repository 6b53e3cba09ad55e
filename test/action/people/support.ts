import type { TestRepository } from '../../support/runner/repository.ts';
import type { Run } from '../../support/runner/run.ts';
import { DISPATCH_INPUTS } from '../../../src/pipeline/pipeline.ts';
import { pipelineFiles, type GateEntry, type WorkflowOptions } from '../stories/support.ts';

export const STORY = '.github/workflows/story.yml';
const COMMENT = '.github/workflows/comment.yml';
const COMMENT_WORKFLOW = {
  on: { issue_comment: null, workflow_run: { workflows: ['Story'], types: ['requested', 'completed'] } },
  jobs: {
    comment: {
      'runs-on': 'ubuntu-latest',
      permissions: { contents: 'read', actions: 'write', 'pull-requests': 'write' },
      steps: [{ uses: 'gateline/gateline/comment@v1' }],
    },
  },
};

interface Workflow {
  readonly on: { readonly workflow_dispatch: { readonly inputs: Record<string, object> } };
  jobs: Readonly<Record<string, object>>;
}

/** The files of a pipeline whose dispatches may decide, with the workflow that answers comments. */
export function peopleFiles(
  gates: Readonly<Record<string, GateEntry>>,
  { pipeline = {}, ...options }: WorkflowOptions & { readonly pipeline?: object } = {},
): Record<string, string> {
  const files = pipelineFiles(gates, options);
  const definition = JSON.parse(files['gateline.yml']!) as object;
  const workflow = JSON.parse(files[STORY]!) as Workflow;
  // Jobs without a gate.
  workflow.jobs = { ...options.jobs, ...workflow.jobs };
  for (const name of Object.keys(DISPATCH_INPUTS)) workflow.on.workflow_dispatch.inputs[name] = { type: 'string' };
  return {
    ...files,
    'gateline.yml': JSON.stringify({ ...definition, ...pipeline }),
    [STORY]: JSON.stringify(workflow),
    [COMMENT]: JSON.stringify(COMMENT_WORKFLOW),
  };
}

/** Posts a comment on pull request 1 and answers it. Returns the answer; '' is none. */
export async function say(
  repository: TestRepository,
  body: string,
  fields: Parameters<TestRepository['comment']>[2] = {},
): Promise<string> {
  // Times of comments are in seconds.
  repository.github.advance(2_000);
  const comment = repository.comment(1, body, fields);
  const { comments } = repository.data;
  const before = comments.length;
  const run = await (await repository.start('issue_comment', { comment })).completed;
  if (run.conclusion !== 'success') throw new Error(run.job('comment').log);
  return comments[before]?.body ?? '';
}

/** Tells the comment action about a run of a pull request. */
export async function notify(
  repository: TestRepository,
  { id, runAttempt, conclusion }: Pick<Run, 'id' | 'runAttempt' | 'conclusion'>,
  action: 'requested' | 'completed',
): Promise<Run> {
  const { number, path, event, headSha, headBranch, headRepository, actor } = repository.data.runs.find(
    (run) => run.id === id,
  )!;
  const run = { id, run_number: number, run_attempt: runAttempt, path, event, head_sha: headSha };
  const workflow_run = {
    ...run,
    head_branch: headBranch,
    head_repository: { full_name: headRepository! },
    actor: { login: actor.login },
    conclusion: action === 'completed' ? conclusion : null,
  };
  return (await repository.start('workflow_run', { payload: { action, workflow_run } })).completed;
}

/** The line of a summary or comment that opens an output. */
export function approvalIn(text: string): string {
  return /^(?:\/gateline approve|gh workflow run) .*$/m.exec(text)?.[0] ?? '';
}

/** Inputs of the dispatch that a printed command makes: `-f name='value'`. */
export function inputsIn(line: string): Record<string, string> {
  const pairs = [...line.matchAll(/ -f (\w+)=(?:'([^']*)'|(\S+))/g)];
  return Object.fromEntries(pairs.map(([, name, quoted, plain]) => [name!, quoted ?? plain!]));
}
