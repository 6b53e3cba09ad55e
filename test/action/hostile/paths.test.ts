import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../support/test-size.ts';
import { TIME_LIMITS, twoGates, type TwoGates } from '../faults/two-gates.ts';
import { ACTION, GateJobs, messagesOf, stepOf, WORKFLOW } from '../gate-jobs.ts';
import { Forger } from './forgery.ts';

/** Paths under which a hostile gate hands a file on. */
const PATHS: readonly string[] = [
  '../evil',
  '../../evil',
  'a/../../evil',
  'a/./evil',
  './evil',
  '/tmp/evil-gateline',
  '//evil',
  'C:/evil',
  'c:evil',
  'a\\..\\..\\evil',
  '..\\evil',
  '.git/config',
  '.git/hooks/post-checkout',
  '.GIT/hooks/post-checkout',
  'sub/.git/config',
  '.git./config',
  '.git /config',
  'git~1/config',
  '.g\u200cit/config',
  '.git::$INDEX_ALLOCATION/config',
  '.state/evil',
  '.STATE/evil',
  '.\u017ftate/evil',
  'con',
  'a/aux.txt',
  'evil.',
  'evil ',
  'a//evil',
  'evil\0',
  '',
  'x'.repeat(5_000),
];

/** Values of inputs that name a place, and what is told. */
const PLACES: Readonly<Record<string, readonly [input: string, told: RegExp]>> = {
  'an output file above the workspace': ['output-file: ../../evil.json', /OUTPUT_FILE_OUTSIDE/],
  'an output file by its whole path': ['output-file: /etc/passwd', /OUTPUT_FILE_OUTSIDE/],
  'an output file behind a link': ['output-file: linked/passwd', /OUTPUT_FILE_OUTSIDE/],
  'a folder above the workspace': ['working-directory: ../..', /working-directory/],
  'a folder by its whole path': ['working-directory: /etc', /working-directory/],
  'a schema above the workspace': ['schema: ../../../schema.json', /schema/],
  'a schema by its whole path': ['schema: /etc/passwd', /schema/],
  'a schema that is a link': ['schema: linked-schema.json', /schema|symbolic link/],
  'files above the workspace': ['files: ../*', /files/],
  'an output file that is a link': ['output-file: linked-schema.json', /no output/],
};

let gates: TwoGates;
beforeAll(async () => {
  gates = await twoGates('mostly here');
  const { repository } = gates.jobs;
  await symlink('/etc', repository.path('linked'));
  await symlink('/etc/passwd', repository.path('linked-schema.json'));
  await repository.commitAll('links that lead out');
});
afterAll(() => gates[Symbol.asyncDispose]());

/** Names in the folders above a workspace. */
async function around(workspace: string): Promise<string[]> {
  const folders = ['..', '../..', '../../..'].map((way) => readdir(join(workspace, way)));
  return (await Promise.all(folders)).flat();
}

describe('a file that is handed on', () => {
  const paths = PATHS.map((path, index) => [JSON.stringify(path.slice(0, 40)), path, index] as const);
  it.concurrent.each(someOf(paths, 5))(
    'is never placed outside the workspace, in git’s folder or through a link: %s',
    async (_, path, index) => {
      await using jobs = await gates.jobs.fork(`path-${index}`);
      new Forger(jobs).replaceEnd(({ record }) => {
        Object.assign(record.files[0]!, { path });
      });
      let names: string[] = [];
      const inspect = async (environment: { readonly workspace: string }): Promise<void> => {
        names = await around(environment.workspace);
      };
      const report = await jobs.run('code', { needs: gates.needs, machine: TIME_LIMITS, order: { inspect } });
      expect([stepOf(report, 'gate').code, report.conclusion, await jobs.starts()]).toEqual([1, 'failure', []]);
      expect(messagesOf(report).filter((line) => /INTERNAL|a bug/.test(line))).toEqual([]);
      expect(names.filter((name) => name.startsWith('evil'))).toEqual([]);
      expect((await readdir('/tmp')).filter((name) => name === 'evil-gateline')).toEqual([]);
      expect((await readdir('/etc')).filter((name) => name === 'evil')).toEqual([]);
    },
  );

  it.each([
    ['a workflow: what GitHub runs is the commit’s own one', '.github/workflows/evil.yml'],
    ['where a link stands, which is put aside and not followed', 'linked'],
    ['below where a link stands, which becomes a folder', 'linked/evil'],
  ])('is placed like any other inside the workspace: %s', async (_, path) => {
    await using jobs = await gates.jobs.fork(path.replaceAll('/', '-'));
    new Forger(jobs).replaceEnd(({ record }) => {
      Object.assign(record.files[0]!, { path });
    });
    let placed: Buffer | undefined;
    const inspect = async (environment: { readonly workspace: string }): Promise<void> => {
      const file = join(environment.workspace, path);
      placed = (await lstat(file)).isFile() ? await readFile(file) : undefined;
    };
    const report = await jobs.run('code', { needs: gates.needs, machine: TIME_LIMITS, order: { inspect } });
    expect(stepOf(report, 'gate').code).toBe(0);
    expect(placed?.toString('hex')).toBe('ff00010203');
    expect((await lstat('/etc')).isDirectory()).toBe(true);
    // The agent misses the file that it should have had.
    expect([stepOf(report, 'agent').code, report.conclusion]).toEqual([1, 'failure']);
  });
});

describe('an input that names a place', () => {
  it.concurrent.each(someOf(Object.entries(PLACES), 2))('leads nowhere else: %s', async (_, [input, told]) => {
    const steps = `
on: push
jobs:
  place:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with:
          run: echo started
          inputs: '[]'
          ${input}
`;
    await using own = await placeWorld(steps);
    const report = await own.run('place', { machine: TIME_LIMITS });
    expect(report.conclusion).toBe('failure');
    expect(messagesOf(report).join('\n')).toMatch(told);
    expect(messagesOf(report).filter((line) => /INTERNAL|a bug/.test(line))).toEqual([]);
    expect(report.log.join('\n')).not.toContain('root:x:0');
  });
});

async function placeWorld(workflow: string): Promise<GateJobs> {
  const world = await GateJobs.create({ [WORKFLOW]: workflow, 'a.txt': 'a' }, { how: 'here' });
  await symlink('/etc', world.repository.path('linked'));
  await symlink('/etc/passwd', world.repository.path('linked-schema.json'));
  await writeFile(world.repository.path('b.txt'), 'b');
  await world.repository.commitAll('links that lead out');
  return world;
}
