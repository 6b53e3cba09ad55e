import type { WorkflowJob, WorkflowRun, World } from './model.ts';

/** What a test says of a run; the rest has defaults. */
export type RunOptions = Partial<Omit<WorkflowRun, 'jobs'>> & Pick<WorkflowRun, 'id'>;

/** Adds a run, or changes the one of that id. */
export function addRun(world: World, options: RunOptions): WorkflowRun {
  const change = { updatedAt: world.now(), ...options };
  const run = Object.assign(world.runs.get(options.id) ?? defaultRun(world, options), change);
  world.runs.set(run.id, run);
  return run;
}

function defaultRun(world: World, { id, repository = 'octo/gates' }: RunOptions): WorkflowRun {
  return {
    id,
    repository,
    number: world.runs.size + 1,
    attempt: 1,
    path: '.github/workflows/gates.yml',
    workflow: 'gates',
    event: 'push',
    headBranch: 'main',
    headSha: '1'.repeat(40),
    headRepository: repository,
    actor: 'octocat',
    displayTitle: 'a change',
    pullRequests: [],
    status: 'in_progress',
    conclusion: null,
    createdAt: world.now(),
    updatedAt: world.now(),
    jobs: [],
  };
}

/** Adds a job of an attempt that has just begun. A later attempt makes the run a re-run. */
export function beginJob(world: World, run: WorkflowRun, name: string, attempt: number): WorkflowJob {
  Object.assign(run, {
    attempt: Math.max(run.attempt, attempt),
    status: 'in_progress',
    conclusion: null,
    updatedAt: world.now(),
  });
  const job: WorkflowJob = {
    id: 9_000_000_000 + world.nextNumber(),
    name,
    attempt,
    status: 'in_progress',
    conclusion: null,
    startedAt: world.now(),
    completedAt: null,
  };
  run.jobs.push(job);
  return job;
}
