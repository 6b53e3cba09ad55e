import { afterAll, beforeAll } from 'vitest';
import { startGithub } from '../../support/github/github.js';
import { createRepository } from '../../support/runner/repository.js';
/** A command that says in the log that it works, and answers with JSON; `before` may use it as `$output`. */
export function agent(output, before = '') {
  return `echo "agent works"\n${before}\nprintf '%s' "${output.replaceAll('"', String.raw`\"`)}" > "$GATELINE_OUTPUT"`;
}
/** The files of a pipeline: its definition, and a workflow with a job for each gate and a report. JSON is YAML. */
export function pipelineFiles(gates, { with: inputs = {}, jobs = {}, before = {}, comment = false } = {}) {
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
export function useGithub(options = {}) {
  const repositories = [];
  const world = {
    github: undefined,
    async create(more) {
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
export function worked(run) {
  const jobs = run.jobs.filter((job) => job.runAttempt === run.runAttempt && /\| agent works$/m.test(job.log));
  return jobs.map(({ name }) => name).toSorted();
}
/** `job conclusion` of each job that is not green; the logs of those follow if a test fails. */
export function troubles(run) {
  const bad = run.jobs.filter(({ conclusion }) => conclusion !== 'success');
  return bad.map(({ name, conclusion }) => `${name} ${conclusion}`).toSorted();
}
/** Logs of jobs that are not green, as the message of an assertion. */
export function logsOf(run) {
  const bad = run.jobs.filter(({ conclusion }) => conclusion !== 'success');
  return bad.map(({ name, log }) => `=== ${name}\n${log}`).join('\n');
}
