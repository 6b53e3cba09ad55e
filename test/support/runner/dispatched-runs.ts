import { z } from 'zod';
import { parse } from 'yaml';
import type { StoredDispatch } from '../github/model.ts';
import type { ResultsService } from '../github/results-service.ts';
import { evaluateText } from './expressions.ts';
import { fileAt } from './repository.ts';
import { parseWorkflow } from './workflow-file.ts';
import type { WorkflowRunOptions } from './workflow-run.ts';

const triggersSchema = z.looseObject({
  workflow_dispatch: z.object({ inputs: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

/** Tells the service what a branch is at, and whether and with which inputs its workflow can be started. */
export async function declareWorkflow(
  { world }: Pick<ResultsService, 'world'>,
  { repository, commit, workflow: path }: Pick<WorkflowRunOptions, 'repository' | 'commit' | 'workflow'>,
  branch: string,
): Promise<void> {
  const text = await fileAt(repository, commit, path);
  const { name = path, 'run-name': title = '' } = parseWorkflow(text, path);
  const { on } = parse(text) as { on: unknown };
  const triggers =
    typeof on === 'string' ? { [on]: null } : Array.isArray(on) ? Object.fromEntries(on.map((one) => [one, null])) : on;
  const { workflow_dispatch: trigger } = triggersSchema.parse(triggers);
  world.heads.set(branch, commit);
  world.workflows.set(path, {
    path,
    inputs: trigger === undefined ? undefined : Object.keys(trigger?.inputs ?? {}),
    titleOf: (inputs) => evaluateText(title, { inputs, github: { ref_name: branch }, vars: {} }).trim() || name,
  });
}

/** A run that was started over REST, as it is on the runner. */
export function dispatchedRun(
  { run, inputs, sender }: StoredDispatch,
  { world }: Pick<ResultsService, 'world'>,
): Pick<WorkflowRunOptions, 'run' | 'inputs' | 'payload' | 'about' | 'branch'> {
  const { headBranch, repository } = world.runs.get(run)!;
  return {
    run,
    branch: headBranch,
    inputs,
    about: { event: 'workflow_dispatch', headBranch },
    payload: {
      inputs,
      ref: `refs/heads/${headBranch}`,
      repository: { full_name: repository, default_branch: 'main' },
      sender: { login: sender.login, type: sender.type },
    },
  };
}
