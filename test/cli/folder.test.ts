import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, ENVELOPE, pipeline, Project, type RunView } from './support.ts';

const GATES = {
  one: { run: agent({ n: 1 }), inputs: ['spec.md'] },
  two: { needs: 'one', run: `cp spec.md out.txt; ${agent()}`, files: ['out.txt'] },
};
const create = (more: object = {}) => new Project({ 'spec.md': 'A', 'gateline.yml': pipeline(GATES, more) });

describe('validate', () => {
  it('names every problem with file, line and what was meant', async () => {
    const project = create();
    expect((await project.gateline('validate')).out).toBe('gateline.yml: 2 gates, no errors\n');
    const schema = (name: string) => ({ output: { schema: `${name}.json` } });
    const three = { ...schema('cut'), run: 'x' };
    const broken = pipeline({
      one: { run: 'x', retires: 1 },
      two: { needs: 'oen', ...schema('s') },
      three,
      four: schema('typ'),
    });
    project.write('cut.json', '{"type": ');
    project.write('typ.json', '{"typ": "object"}');
    project.write('gateline.yml', broken);
    const key = /^error: gateline\.yml:7:4 gates.one.retires: there is no such key; did you mean `retries`\?\n$/;
    await project.expect('validate', 2, key);
    project.edit('gateline.yml', 'retires', 'retries');
    await project.expect('validate', 2, /gateline\.yml:\d+:\d+.*there is no gate `oen`; did you mean `one`\?/);
    project.edit('gateline.yml', 'oen', 'one');
    const schemaLine = broken.slice(0, broken.indexOf('"schema": "s.json"')).split('\n').length;
    const missing = `gateline.yml:${schemaLine}:5 gates.two.output.schema: s.json does not exist\n`;
    const others = ['cut.json gates.three.output.schema: ', 'typ.json gates.four.output: '];
    await project.expect('validate', 2, `error: ${missing}`, ...others);
    for (const name of ['s', 'cut']) project.write(`${name}.json`, '{"typ": "object"}');
    await project.expect(
      'validate',
      2,
      /^error: s\.json gates\.two\.output: .*typ.*type.*\ncut.json .*\ntyp.json .*\n$/,
    );
    await project.expect('plan', 0);
    await project.expect('run', 2, /^error: s\.json: the contract of two: /);
  });

  it('finds the definition in a folder above, or at --file, and works in the folder with it', async () => {
    const project = create();
    mkdirSync(join(project.root, 'src'));
    expect(await project.start(['run'], { folder: join(project.root, 'src') }).answer).toMatchObject({ exit: 0 });
    expect(project.read('.state/log.jsonl')).toBeDefined();
    await project.expect('run --file other.yml', 2, /^error: other.yml does not exist\n$/);
    const none = await project.start(['run'], { folder: project.outside }).answer;
    const hint = '`gateline init` writes one; `--file` names another';
    expect(none.err).toBe(`error: there is no gateline.yml in ${project.outside} or above it\nhint: ${hint}\n`);
  });
});

describe('a folder', () => {
  it('needs no repository, and .state stays out of everything', async () => {
    const project = new Project(
      { 'a.txt': 'a', 'gateline.yml': pipeline({ one: { inputs: undefined } }) },
      { isRepository: false },
    );
    expect(await project.run()).toBe('0: one');
    expect(await project.run()).toBe('0: ');
    project.write('a.txt', 'b');
    expect(await project.why('one')).toBe('run: a.txt changed since its last attempt');
    expect(project.files('.').includes('.git')).toBe(false);
    const repository = create();
    const note = 'changes that are not committed, and gates may change files in it: out.txt by two';
    await repository.expect('run', 0, `note: this folder has ${note}`);
    expect(repository.git('status', '--short')).toBe('?? gateline.yml\n?? out.txt\n?? spec.md\n');
  });

  it('may have .state on another file system, but not behind a link that leads out', async (context) => {
    const project = create();
    symlinkSync(project.outside, join(project.root, '.state'));
    await project.expect(
      'run',
      2,
      /\.state leads out of the workspace, to .*\nhint: Remove the link\. .*mount a folder/,
    );
    project.remove('.state');
    mkdirSync(join(project.root, '.state'));
    if (spawnSync('/bin/mount', ['-t', 'tmpfs', 'none', join(project.root, '.state')]).status !== 0)
      return context.skip('needs root: mount');
    onTestFinished(() => void spawnSync('/bin/umount', ['-l', join(project.root, '.state')]));
    expect(await project.run()).toBe('0: one two');
    project.write('out.txt', 'A');
    project.remove('out.txt');
    expect(await project.run('--isolated')).toBe('0: ');
    await project.expect('check', 0, 'Nothing is wrong.\n');
  });

  it('that takes no files is said so by `init`', async () => {
    const project = new Project({ agents: 'a file where the template has a folder' });
    await project.expect('init', 74, /cannot write .*agents.*\nhint: Make the folder writable/);
  });

  it('that was removed is said so in one line', () => {
    const cli = join(import.meta.dirname, '../../src/cli/index.ts');
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" status';
    const { outside, environment } = new Project({}, { isRepository: false });
    const shell = spawnSync('sh', ['-c', script, process.execPath, cli], { cwd: outside, env: environment });
    expect(shell.stderr.toString()).toBe(
      'error: the working folder does not exist any more\nhint: change to another folder\n',
    );
    expect(shell.status).toBe(2);
  });
});

describe('history, clean, check', () => {
  it('lists and sums up 100,000 runs', async () => {
    const project = create();
    await project.run();
    const [line] = project.read('.state/history.jsonl')!.trim().split('\n');
    const entry = JSON.parse(line!) as { run: number; ended: string };
    const lines = Array.from({ length: 100_000 }, (_, index) =>
      JSON.stringify({ ...entry, run: index + 1, status: index % 4 ? 'completed' : 'error' }),
    );
    project.write('.state/history.jsonl', `${lines.join('\n')}\n{"v":1,"cut`);
    expect((await project.gateline('history', '--daily')).out).toContain(' 100000 ');
    const failed = await project.json('history', '--status', 'error', '--since', '1d', '--limit', '2');
    expect(failed).toMatchObject({ runs: [99_997, 99_993].map((run) => ({ run, status: 'error' })) });
  });

  it('clean removes old runs and what only they needed, and what stays is used', async () => {
    const project = create();
    for (const text of ['A', 'B', 'C']) {
      project.write('spec.md', text);
      await project.run();
    }
    const find = 'find .state/content .state/attempts -type f | wc -l';
    const count = () => Number(execFileSync('sh', ['-c', find], { cwd: project.root }));
    const before = count();
    await project.expect('clean --days 0 -n', 0, 'would remove run 2 of main\n2 runs would be removed, 1 run kept\n');
    expect(count()).toBe(before);
    await project.expect('clean --days 0', 0, '2 runs removed, 1 run kept');
    expect(count()).toBeLessThan(before / 2);
    project.ran();
    expect(await project.run()).toBe('0: ');
    project.write('spec.md', 'A');
    expect(await project.run()).toBe('0: one');
    expect(await project.json<RunView>('status')).toMatchObject({ run: 4 });
    expect((await project.json<{ runs: unknown[] }>('history')).runs).toHaveLength(4);
  });

  it('check names what is damaged, its gate runs again, and --repair sets a bad log aside', async () => {
    const project = create();
    await project.run();
    project.ran();
    const { output } = await project.unit('one');
    const hex = output!.digest.slice('sha256:'.length);
    project.write(`.state/content/${hex.slice(0, 2)}/${hex}`, '{}');
    await project.expect('check', 1, /^the output of one \(run 1 of main, attempt 1\) is missing or damaged\n/);
    expect(await project.why('one')).toBe('run: the stored output is missing or damaged');
    expect(await project.run()).toBe('0: one');
    project.write('.state/log.jsonl', `garbage\n${project.read('.state/log.jsonl')}{"v":1,"ki`);
    await project.expect('run', 74, /log\.jsonl, line 1, cannot be read: .*\nhint: Run `gateline check --repair`/);
    await project.expect('check --repair', 0, /^line 1 of the log could not be read: the log was set aside/);
    expect(project.files('.state').some((name) => /^log\.jsonl\..*\.bad$/.test(name))).toBe(true);
    expect(await project.run()).toBe('0: ');
  });
});

describe('import state-guide', () => {
  const envelope = (gate: number, output: object) =>
    JSON.stringify({ ...ENVELOPE, gate, output, metadata: { domain: 'd', feature: 'f', url: '' } });

  it('takes over outputs that meet their contracts: all or none', async () => {
    const project = create({ metadata: { domain: 'd', feature: 'f' } });
    const contract = '"inputs": [], "output": {"checks": "output.n > 0"}';
    project.edit('gateline.yml', '"inputs": [\n    "spec.md"\n   ]', contract);
    project.write('old/d-f-gate0-output.json', envelope(0, { n: 0 }));
    project.write('old/d-f-gate1-output.json', envelope(1, {}));
    await project.expect(
      'import state-guide old',
      1,
      /contracts of their gates:\none: check: .*\nhint: Nothing was imported/,
    );
    expect(await project.plan()).toMatchObject({ one: { choice: 'run' } });
    project.write('old/d-f-gate0-output.json', envelope(0, { n: 7 }));
    await project.expect('import state-guide old', 0, 'imported one\nimported two\n');
    expect(project.ran()).toBe('');
    expect(await project.json('show', 'one', 'output')).toEqual({ n: 7 });
    expect(await project.run()).toBe('0: ');
  });
});
