import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml } from './in-process.ts';

const LIST = '${{ needs.plan.output.packages }}';
const ECHO = `node -e '
const { readFileSync, writeFileSync, appendFileSync } = require("node:fs");
const { matrix } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, "utf8"));
appendFileSync(process.env.STARTS, process.env.GATELINE_LEG + "\\n");
if (process.env.BREAK && process.env.BREAK === matrix.name) process.exit(3);
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ built: matrix }));
'`;

/** A plan that copies a file, a gate for each package in it, and one that needs them all. */
function definition(more: object = {}): string {
  return gatelineYml({
    plan: { run: 'cp packages.json "$GATELINE_OUTPUT"', inputs: ['packages.json'] },
    build: { needs: 'plan', run: ECHO, inputs: [], strategy: { matrix: LIST, 'fail-fast': false }, ...more },
    publish: {
      needs: 'build',
      run: `node -e 'const { readFileSync, writeFileSync } = require("node:fs");
const { needs } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, "utf8"));
const built = Object.entries(needs.build.legs).map(([leg, { output }]) => [leg, output?.built]);
writeFileSync(process.env.STARTS + ".built", JSON.stringify(Object.fromEntries(built)));
writeFileSync(process.env.GATELINE_OUTPUT, "{}")'`,
      inputs: [],
    },
  });
}

interface World extends AsyncDisposable {
  run(...words: string[]): ReturnType<typeof gateline>;
  /** What the state says of each gate. */
  states(): Promise<Record<string, string>>;
  starts(): Promise<string[]>;
  /** What the last gate was given of each leg. */
  built(): Promise<unknown>;
  edit(packages: unknown): Promise<void>;
  breaks(name: string): void;
}

async function worldOf(packages: unknown, more: object = {}): Promise<World> {
  const workspace = await ScratchWorkspace.create({
    'gateline.yml': definition(more),
    'packages.json': JSON.stringify({ packages }),
    '.gitignore': 'starts*',
  });
  const file = join(workspace.root, 'starts');
  const environment: Record<string, string | undefined> = plainEnvironment({ STARTS: file });
  let seen = 0;
  const run = (...words: string[]): ReturnType<typeof gateline> => gateline(workspace.root, words, { environment });
  return {
    run,
    states: async () => {
      const { gates } = JSON.parse((await run('status', '--json')).out) as {
        gates: { key: string; status: string }[];
      };
      return Object.fromEntries(gates.map(({ key, status }) => [key, status]));
    },
    starts: async () => {
      const all = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      const found = all.slice(seen).toSorted();
      seen = all.length;
      return found;
    },
    built: async () => JSON.parse(await readFile(`${file}.built`, 'utf8')) as unknown,
    edit: (next) => workspace.write('packages.json', JSON.stringify({ packages: next })),
    breaks: (name) => void (environment['BREAK'] = name),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}

const TWO = [{ name: 'api', level: 1 }, { name: 'web' }];

describe('a matrix over an output', () => {
  it('has a leg for each item, with its values in the request, and reuses what did not change', async () => {
    await using world = await worldOf(TWO);
    const first = await world.run('run', '-q');
    expect(first.code, first.out + first.err).toBe(0);
    expect(await world.starts()).toEqual(['leg-0', 'leg-1']);
    expect(await world.states()).toEqual({
      plan: 'passed',
      'build/leg-0': 'passed',
      'build/leg-1': 'passed',
      publish: 'passed',
    });
    expect(await world.built()).toEqual({ 'leg-0': TWO[0], 'leg-1': TWO[1] });
    const second = await world.run('run', '-q');
    expect(second.out).toContain('4 of 4');
    expect(await world.starts()).toEqual([]);
    const status = JSON.parse((await world.run('status', '--json')).out) as { run: number };
    expect(status.run).toBe(2);
  });

  it('gains and loses legs as the list changes, and what needs them all runs again', async () => {
    await using world = await worldOf(TWO);
    await world.run('run', '-q');
    await world.starts();
    await world.edit([TWO[0], { name: 'cli' }, 'docs']);
    const longer = await world.run('run', '-q');
    expect(longer.code, longer.out + longer.err).toBe(0);
    expect(await world.starts()).toEqual(['leg-1', 'leg-2']);
    expect(await world.built()).toEqual({ 'leg-0': TWO[0], 'leg-1': { name: 'cli' }, 'leg-2': { value: 'docs' } });
    await world.edit([TWO[0]]);
    const shorter = await world.run('run', '-q');
    expect(shorter.code, shorter.out + shorter.err).toBe(0);
    expect(await world.starts()).toEqual([]);
    expect(Object.keys(await world.states())).toEqual(['plan', 'build/leg-0', 'publish']);
  });

  it('is not done while a leg failed, and only that one runs again', async () => {
    await using world = await worldOf(TWO);
    world.breaks('web');
    expect((await world.run('run', '-q')).code).toBe(1);
    expect(await world.starts()).toEqual(['leg-0', 'leg-1']);
    expect(await world.states()).toMatchObject({ 'build/leg-1': 'failed', publish: 'blocked' });
    expect((await world.run('run', '-q', '--gate', 'build')).code).toBe(1);
    await world.starts();
    world.breaks('');
    expect((await world.run('run', '-q', '--gate', 'build')).code).toBe(0);
    expect(await world.starts()).toEqual(['leg-1']);
    expect((await world.run('run', '-q')).code).toBe(0);
    expect(await world.starts()).toEqual([]);
  });

  it('has one leg that does not apply for an empty list', async () => {
    await using world = await worldOf([]);
    const { code, out, err } = await world.run('run', '-q');
    expect(code, out + err).toBe(0);
    expect(await world.starts()).toEqual([]);
    expect(await world.states()).toEqual({ plan: 'passed', 'build/none': 'not-applicable', publish: 'passed' });
  });

  it.each([
    ['no list', { a: 1 }, 'needs.plan.output.packages is not a list'],
    ['too many items', Array.from({ length: 257 }, (_, index) => index), '257 items, and a matrix at most 256 legs'],
  ])('starts nothing for %s', async (_, packages, why) => {
    await using world = await worldOf(packages);
    const { code, err } = await world.run('run', '-q');
    expect(code).toBe(2);
    expect(err).toContain('MATRIX_WITHOUT_LEGS: gate build: its matrix has no legs');
    expect(err).toContain(why);
    expect(await world.starts()).toEqual([]);
    expect(await world.states()).toMatchObject({ build: 'ready', publish: 'pending' });
  });

  it('plans the legs of an output that is reused, and else the gate as one', async () => {
    await using world = await worldOf(TWO);
    expect((await world.run('plan')).out).toMatch(/build +depends/);
    await world.run('run', '-q');
    await world.edit([TWO[1]]);
    expect((await world.run('plan')).out).toMatch(/build +depends/);
    await world.edit(TWO);
    expect((await world.run('plan')).out).toMatch(/build\/leg-1 +reuse/);
  });
});
