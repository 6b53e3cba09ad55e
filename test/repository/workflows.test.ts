import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { findTool } from '../../scripts/workflow-tools.mjs';
import { ROOT, repositoryFiles } from './repository-files.ts';

const workflowSchema = z.looseObject({
  permissions: z.record(z.string(), z.string()).optional(),
  jobs: z.record(
    z.string(),
    z.looseObject({
      if: z.string().optional(),
      needs: z.union([z.string().transform((need) => [need]), z.array(z.string())]).default([]),
      permissions: z.record(z.string(), z.string()).optional(),
      'timeout-minutes': z.union([z.number(), z.string()]).optional(),
      uses: z.string().optional(),
      steps: z.array(z.looseObject({ uses: z.string().optional() })).default([]),
    }),
  ),
});

const paths = repositoryFiles().filter((path) => /^\.github\/workflows\/.*\.ya?ml$/.test(path));
const workflows = paths.map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, ...workflowSchema.parse(parse(text)) };
});

/** Jobs of called workflows that have the permissions of the calling job: no agent runs in them. */
const AS_THE_CALLER = [
  'comment.yml comment',
  'decide.yml decide',
  'fork-comment.yml comment',
  'pipeline.yml report',
  'report.yml report',
  'set.yml deliver',
  'set.yml report',
];

describe('the workflows of the repository', () => {
  it('give no token more than its job asks for', () => {
    const named = workflows.map(({ path, ...workflow }) => ({ ...workflow, name: path.split('/').at(-1)! }));
    const asked = named.flatMap(({ name, jobs }) =>
      Object.entries(jobs).map(([id, { permissions }]) => ({ name: `${name} ${id}`, permissions })),
    );
    const unasked = asked.filter(({ permissions }) => permissions === undefined).map(({ name }) => name);
    expect(unasked.toSorted()).toEqual(AS_THE_CALLER);
    // Permissions of a whole workflow would be those of such a job.
    const isOpen = ({ name }: { readonly name: string }): boolean =>
      AS_THE_CALLER.some((job) => job.startsWith(`${name} `));
    for (const one of named) expect([one.name, one.permissions]).toEqual([one.name, isOpen(one) ? undefined : {}]);
  });

  it('name every action of elsewhere by commit, with its release beside it', () => {
    const lines = workflows.flatMap(({ text }) => text.split('\n').filter((line) => /^\s*(?:- )?uses:/.test(line)));
    const elsewhere = lines.filter((line) => !/uses: ['"]?[.$]\//.test(line));
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter((line) => !/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
  });

  it('end a job that hangs', () => {
    const jobs = workflows.flatMap((workflow) => Object.values(workflow.jobs));
    expect(jobs.filter((job) => job.uses === undefined && job['timeout-minutes'] === undefined)).toEqual([]);
  });
});

describe('the check to require', () => {
  const { jobs } = workflows.find(({ path }) => path.endsWith('/ci.yml'))!;
  const { all, ...others } = jobs;

  it('waits for every other job of CI, whatever became of it', () => {
    expect(all?.needs.toSorted()).toEqual(Object.keys(others).toSorted());
    expect(all?.if).toBe('always()');
  });

  it.runIf(process.platform !== 'win32').each([
    ['success success', 0],
    ['success', 0],
    ['success failure success', 1],
    ['skipped success', 1],
    ['success cancelled', 1],
  ])('with %s ends with %d', (results, code) => {
    const [{ run }] = z.array(z.looseObject({ run: z.string() })).parse(all?.steps) as [{ run: string }];
    const env = { PATH: process.env['PATH'], RESULTS: results };
    expect(spawnSync('bash', ['-e', '-c', run], { env }).status).toBe(code);
  });
});

describe('check:workflows', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateline-workflows-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (path: string, steps: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    const head =
      'on: push\npermissions: {}\nconcurrency: { group: a, cancel-in-progress: true }\njobs:\n  a:\n    name: a\n';
    writeFileSync(join(folder, path), `${head}    runs-on: ubuntu-latest\n    steps:\n      ${steps}\n`);
  };
  const check = (more: Readonly<Record<string, string | undefined>> = {}) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/check-workflows.mjs'), folder], {
      encoding: 'utf8',
      env: { ...process.env, CI: undefined, ...more },
    });

  it('says which tools a machine has not, and fails in CI on Linux', () => {
    write('.github/workflows/one.yml', '- run: "true"');
    const nothing = { PATH: folder, HOME: folder, XDG_CACHE_HOME: folder };
    const here = check(nothing);
    expect(here.stderr).toMatch(/left out: no actionlint, .*\nleft out: no zizmor, /);
    expect(here.status).toBe(0);
    expect(check({ ...nothing, CI: 'true' }).status).toBe(process.platform === 'linux' ? 1 : 0);
  });

  it.runIf(findTool('actionlint') !== undefined)('finds errors, in examples too, and takes $/ for ./', () => {
    write('action.yml', '');
    writeFileSync(join(folder, 'action.yml'), 'name: a\ndescription: a\nruns: { using: node24, main: a.js }\n');
    write('.github/workflows/one.yml', '- uses: $/');
    expect(check().stderr).not.toContain('actionlint:');
    write('examples/x/two.yml', '- run: echo ${{ steps.nobody.outputs.x }}');
    const found = check();
    expect(found.status).toBe(1);
    expect(found.stderr).toContain('property "nobody" is not defined');
    rmSync(join(folder, 'examples'), { recursive: true });
  });

  it.runIf(findTool('zizmor') !== undefined)('finds what is insecure', () => {
    write('.github/workflows/one.yml', '- run: echo ${{ github.event.head_commit.message }}');
    const found = check();
    expect(found.status).toBe(1);
    expect(found.stderr).toContain('template-injection');
    write('.github/workflows/one.yml', '- run: "true"');
    expect(check().status).toBe(0);
  });

  it('fails where there is no workflow at all', () => {
    rmSync(join(folder, '.github'), { recursive: true });
    expect(check().stderr).toContain('There is no workflow below');
  });
});
