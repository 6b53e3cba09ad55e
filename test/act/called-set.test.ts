import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ACT } from '../support/act/act-tool.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ActWorld, LONG } from './act-world.ts';

/** A workflow that calls the packaged one, which calls `pipeline.yml` for each subject. */
const CALLER = `
on: push
jobs:
  stories:
    uses: ./.github/workflows/set.yml
    permissions: { contents: read, actions: read, checks: read, pull-requests: read }
    with: { set: subjects.json, task: Say "profile" }
    secrets:
      env: |
        KEY=k-123456
  after:
    needs: stories
    if: always()
    runs-on: ubuntu-latest
    steps:
      - run: echo "passed=\${{ needs.stories.outputs.passed }}"
`;

const SUBJECTS = {
  format: 'gateline-set/1',
  subjects: [
    { id: 'login', task: 'Say "$(id)" and ${{ github.token }}' },
    { id: 'payment', task: 'Pay' },
    { id: 'profile', needs: 'login' },
  ],
};

/** Each gate notes its start, with its subject. `work` says its task, and how much of its secret it has. */
const noted = (gate: string): string =>
  `s=$(sed -n 's/.*"subject":"\\([^"]*\\)".*/\\1/p' "$GATELINE_REQUEST"); echo "$s/${gate} 1 $$" >> "$START_LOG"`;
const GATES = {
  work: {
    run: `${noted('work')}\nnode work.mjs`,
    inputs: ['work.mjs'],
    secrets: ['KEY'],
    output: { message: '/told' },
  },
  check: { needs: 'work', run: `${noted('check')}\necho 1 > "$GATELINE_OUTPUT"`, inputs: [] },
};
const WORK = `
import { readFileSync, writeFileSync } from 'node:fs';
const { task } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const told = task + ' with ' + process.env.KEY.length + ' letters';
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ told }));
`;

/** Two waves: act gives a skipped job's outputs as their text. And it takes only a number for `max-parallel`. */
function forAct(text: string): string {
  const workflow = parse(text.replaceAll('${{ inputs.max-parallel }}', '2')) as { jobs: Record<string, object> };
  const isMore = (id: string): boolean => /^(?:next|wave)-[2-9]$/.test(id);
  const jobs = Object.entries(workflow.jobs).filter(([id]) => !isMore(id));
  const { report, deliver } = workflow.jobs as Record<'report' | 'deliver', { needs: string[] }>;
  for (const job of [report, deliver]) job.needs = job.needs.filter((id) => !isMore(id));
  return stringify({ ...workflow, jobs: Object.fromEntries(jobs) }, { aliasDuplicateObjects: false });
}

describe.runIf(ACT !== undefined)('set.yml, called by a workflow under act', { timeout: LONG }, () => {
  let world: ActWorld;

  beforeAll(async () => {
    const packaged = async (name: string): Promise<string> => {
      const text = await readFile(join(REPOSITORY, '.github/workflows', name), 'utf8');
      return text.replaceAll(/uses: \$\/$/gm, 'uses: gateline/gateline@v1').replaceAll('uses: $/.', 'uses: ./.');
    };
    world = await ActWorld.create(CALLER, {
      '.github/workflows/set.yml': forAct(await packaged('set.yml')),
      '.github/workflows/pipeline.yml': await packaged('pipeline.yml'),
      'gateline.yml': JSON.stringify({ gates: GATES }),
      'work.mjs': WORK,
      'subjects.json': JSON.stringify(SUBJECTS),
    });
  }, LONG);
  afterAll(() => world[Symbol.asyncDispose]());

  it('runs the pipeline for each subject, after those that it needs', async () => {
    const report = await world.run(1);
    expect(report.stderr).not.toContain('"level":"error"');
    expect(report.ok).toBe(true);
    const started = await world.started();
    expect(started.toSorted()).toEqual(['login', 'payment', 'profile'].flatMap((id) => [`${id}/check`, `${id}/work`]));
    // Jobs of several subjects have one name here: the last of them is that of the last wave.
    expect(report.job('pipeline/work').summary).toContain('Say "profile" with 8 letters');
    expect(report.job('set/report').lines.join('\n')).toContain('3 subjects: 3 completed');
    expect(report.job('after').lines).toContain('passed=true');
  });
});
