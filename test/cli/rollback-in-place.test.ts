import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineYml, gatelineIn as call, expectOk } from './in-process.ts';

/** Begins a gate. @returns a function from names of variables to their values, as printed for a shell */
async function begun(workspace: ScratchWorkspace, gate: string): Promise<(name: string) => string> {
  const { out } = await expectOk(call(workspace, 'begin', gate));
  return (name) => new RegExp(`${name}='?([^'\\s]+)`).exec(out)![1]!;
}

const FILES = { 'in.txt': 'in\n', 'src/app.txt': 'old\n' };

describe('a gate whose agent worked by itself in the folder', () => {
  it('is rolled back only with --force, since a person may have changed files meanwhile', async () => {
    const gates = { draft: { inputs: ['in.txt'], files: ['src/**'] } };
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': gatelineYml(gates) });
    const before = await workspace.files();
    const printed = await begun(workspace, 'draft');
    await workspace.write('src/app.txt', 'by the agent\n');
    await workspace.write('notes.txt', 'of a person\n');
    writeFileSync(printed('GATELINE_OUTPUT'), '1');
    await expectOk(call(workspace, 'complete', '--token', printed('GATELINE_TOKEN')));
    const after = await workspace.files();
    const refused = await call(workspace, 'rollback', '--all');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('ROLLBACK_CONFLICT')]);
    for (const path of ['notes.txt', 'src/app.txt'])
      expect(refused.err).toContain(`${path}: it changed while the agent of draft worked by itself in your folder`);
    const dry = await call(workspace, 'rollback', '--all', '--dry-run');
    expect([dry.code, dry.out]).toEqual([1, expect.stringContaining('-of a person')]);
    expect(dry.out).toContain('conflict notes.txt: it changed while');
    expect(await workspace.files()).toEqual(after);

    const forced = await expectOk(call(workspace, 'rollback', '--all', '--force', '--json'));
    const { saved } = JSON.parse(forced.out) as { saved: string };
    expect(await workspace.files()).toEqual(before);
    expect(await workspace.read(`${saved}/files/notes.txt`)).toBe('of a person\n');
  });
});

describe('a gate that worked in the folder and left no record of its end', () => {
  it('keeps the run from being rolled back, unless that is forced', async () => {
    const gates = { draft: { inputs: ['in.txt'], files: ['src/**'] } };
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': gatelineYml(gates) });
    await expectOk(call(workspace, 'begin', 'draft'));
    await workspace.write('src/app.txt', 'by an agent\n');
    await expectOk(call(workspace, 'force', 'draft', '--reason', 'gone', '--actor', 'ann'));
    const by = ['--all', '--reason', 'undo', '--actor', 'ann'];
    const refused = await call(workspace, 'rollback', ...by);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('changed in your folder: draft')]);
    await expectOk(call(workspace, 'rollback', ...by, '--force'));
    expect(await workspace.read('src/app.txt')).toBe('by an agent\n');
  });
});

describe('what to do after a rollback, if the next agent runs by itself', () => {
  const run = 'echo 1 > "$GATELINE_OUTPUT"';
  const pipeline = gatelineYml({ first: { run, inputs: [] }, own: { needs: 'first', inputs: [] } });
  const reversed = gatelineYml({ own: { inputs: [] }, last: { needs: 'own', run, inputs: [] } });

  /** Does the work of the gate `own`. */
  async function work(workspace: ScratchWorkspace): Promise<void> {
    const printed = await begun(workspace, 'own');
    writeFileSync(printed('GATELINE_OUTPUT'), '1');
    await expectOk(call(workspace, 'complete', '--token', printed('GATELINE_TOKEN')));
  }

  it('is to lift the pause first, where the run goes on', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': pipeline });
    await call(workspace, 'run', '-q');
    await work(workspace);
    const { out } = await expectOk(call(workspace, 'rollback', '--to', 'first'));
    expect(out).toContain('`gateline resume` lifts the pause and continues.');
    expect(out).not.toContain('gateline begin');
    expect((await call(workspace, 'begin', 'own')).code).not.toBe(0);
    const resumed = await call(workspace, 'resume', '-q');
    expect(resumed.out).toContain('The agent of own runs by itself: `gateline begin own`, then `gateline complete`.');
    await work(workspace);
    expect((await call(workspace, 'status')).out).toContain('Run 1 of p for main: completed.');
  });

  it('is to begin the first gate of a new run, where the run is over', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': reversed });
    await work(workspace);
    await expectOk(call(workspace, 'run', '-q'));
    const { out } = await expectOk(call(workspace, 'rollback', '--all'));
    expect(out).toContain(
      'The agent of own runs by itself: `gateline begin own` starts a new run, then `gateline complete`.',
    );
    await work(workspace);
    expect((await call(workspace, 'status')).out).toContain('Run 2 of p for main: executing.');
  });
});
