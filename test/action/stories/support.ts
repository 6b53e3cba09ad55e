import { afterAll, beforeAll } from 'vitest';
import { startGithub, type Github, type GithubOptions } from '../../support/github/github.ts';
import { createRepository, type RepositoryOptions, type TestRepository } from '../../support/runner/repository.ts';
import type { Run } from '../../support/runner/run.ts';

export interface GateEntry {
  readonly run: string;
  readonly needs?: readonly string[];
  readonly strategy?: { readonly matrix: unknown; readonly 'fail-fast'?: boolean };
  readonly [key: string]: unknown;
}

/** A command that says in the log that it works, and answers with JSON; `before` may use it as `$output`. */
export function agent(output: string, before = ''): string {
  return `echo "agent works"\n${before}\nprintf '%s' "${output.replaceAll('"', String.raw`\"`)}" > "$GATELINE_OUTPUT"`;
}

export interface WorkflowOptions {
  /** More inputs of all gates' steps. */
  readonly with?: Readonly<Record<string, string>>;
  /** Keys of single jobs. */
  readonly jobs?: Readonly<Record<string, object>>;
  /** Steps before that of the gate, by job. */
  readonly before?: Readonly<Record<string, readonly object[]>>;
  readonly comment?: boolean;
}

/** The files of a pipeline: its definition, and a workflow with a job for each gate and a report. JSON is YAML. */
export function pipelineFiles(
  gates: Readonly<Record<string, GateEntry>>,
  { with: inputs = {}, jobs = {}, before = {}, comment = false }: WorkflowOptions = {},
): Record<string, string> {
  const entries = Object.entries(gates).map(([id, { needs = [], strategy }]) => {
    const places = strategy === undefined ? ['attempt'] : Array.from({ length: 20 }, (_, index) => `attempt-${index}`);
    const outputs = Object.fromEntries(places.map((place) => [place, `\${{ steps.gate.outputs.${place} }}`]));
    const isData = typeof strategy?.matrix === 'string';
    const legs = `fromJSON(needs.${needs[0]}.outputs.legs)['${id}']`;
    const matrix = isData ? { leg: `\${{ ${legs}[0] && ${legs} || fromJSON('[""]') }}` } : strategy?.matrix;
    return [
      id,
      {
        needs,
        'runs-on': 'ubuntu-latest',
        permissions: { contents: 'read', actions: 'read', 'pull-requests': 'read' },
        outputs: { ...outputs, legs: '${{ steps.gate.outputs.legs }}' },
        ...(strategy && { strategy: { ...strategy, matrix } }),
        steps: [
          { uses: 'actions/checkout@v5' },
          ...(before[id] ?? []),
          { id: 'gate', uses: 'gateline/gateline@v1', with: { needs: '${{ toJSON(needs) }}', ...inputs } },
        ],
        ...jobs[id],
      },
    ];
  });
  const report = {
    needs: Object.keys(gates),
    if: 'always()',
    'runs-on': 'ubuntu-latest',
    permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
    steps: [
      { uses: 'actions/checkout@v5' },
      {
        id: 'report',
        uses: 'gateline/gateline/report@v1',
        with: { needs: '${{ toJSON(needs) }}', comment: String(comment) },
      },
    ],
    ...jobs['report'],
  };
  const on = {
    push: null,
    pull_request: null,
    workflow_dispatch: { inputs: { resume: { type: 'string' }, from: {}, reason: {} } },
  };
  return {
    'gateline.yml': JSON.stringify({ pipeline: 'story', gates }),
    '.github/workflows/story.yml': JSON.stringify({
      name: 'Story',
      on,
      jobs: { ...Object.fromEntries(entries), report },
    }),
  };
}

/** GitHub for the tests of a file; its repositories go with it. */
export function useGithub(options: GithubOptions = {}) {
  const repositories: TestRepository[] = [];
  const world = {
    github: undefined as unknown as Github,
    async create(more: RepositoryOptions): Promise<TestRepository> {
      const name = `octo/story-${repositories.length}`;
      const repository = await createRepository(world.github, { parallel: 3, name, ...more });
      repositories.push(repository);
      return repository;
    },
  };
  beforeAll(async () => {
    world.github = await startGithub(options);
  });
  afterAll(async () => {
    for (const repository of repositories) await repository[Symbol.asyncDispose]();
    await world.github[Symbol.asyncDispose]();
  });
  return world;
}

/** Jobs of this run attempt whose agent worked, in order of their names. */
export function worked(run: Run): string[] {
  const jobs = run.jobs.filter((job) => job.runAttempt === run.runAttempt && /\| agent works$/m.test(job.log));
  return jobs.map(({ name }) => name).toSorted();
}

/** `job conclusion` of each job that is not green; the logs of those follow if a test fails. */
export function troubles(run: Run): string[] {
  const bad = run.jobs.filter(({ conclusion }) => conclusion !== 'success');
  return bad.map(({ name, conclusion }) => `${name} ${conclusion}`).toSorted();
}

/** Logs of jobs that are not green, as the message of an assertion. */
export function logsOf(run: Run): string {
  const bad = run.jobs.filter(({ conclusion }) => conclusion !== 'success');
  return bad.map(({ name, log }) => `=== ${name}\n${log}`).join('\n');
}
