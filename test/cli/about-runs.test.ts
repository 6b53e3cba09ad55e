import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, type Answer } from './in-process.ts';

const PASSES = `printf '{"ok": true}' > "$GATELINE_OUTPUT"`;

async function chain(second: string): Promise<ScratchWorkspace> {
  const gates = { a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: second, inputs: [] } };
  return ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
}

it('a run is held by a decision about it that cannot be read, and every command says what to do', async () => {
  await using workspace = await chain('exit 1');
  const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  await say('run', '--quiet');
  await say('pause', '--reason', 'later');
  const folder = workspace.path('.state/runs/main/1');
  const pause = (await readdir(folder)).find((name) => name.includes('decided.pause'));
  await writeFile(`${folder}/${pause}`, '{}');
  for (const args of [
    ['run', '--quiet'],
    ['resume', '--quiet'],
  ]) {
    const { code, out } = await say(...args);
    expect([args, code]).toEqual([args, 3]);
    expect(out).toContain('It is held: a decision about it could not be read. Repair or remove its record');
  }
  const status = (await say('status')).out;
  expect(status).toContain(
    'not the shape of a record: kind: expected started, ended, decided, found nothing (CORRUPT)',
  );
  expect((await say('plan')).out).toContain('repair or remove its record, or `gateline close` ends the run');
  await writeFile(`${folder}/${pause}`, '{"format":"gateline-record/2","kind":"decided","gate":5}');
  expect((await say('status')).out).toContain('not the shape of a record: pipeline: it is missing (CORRUPT)');
  expect((await say('close', '--reason', 'unreadable')).code).toBe(0);
  expect((await say('run', '--quiet')).out).toContain('Run 2');
});

it.each(['a', '-'])('nothing starts beside a decision about %s of a kind that nobody knows', async (about) => {
  await using workspace = await chain('exit 1');
  const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  await say('run', '--quiet');
  await say('force', 'a', '--reason', 'again');
  const folder = workspace.path('.state/runs/main/1');
  const force = (await readdir(folder)).find((name) => name.includes('decided.force'))!;
  const text = await readFile(`${folder}/${force}`, 'utf8');
  const pipeline = force.split('.', 1)[0];
  for (const kind of ['frobnicate', 'hold-all.2']) {
    await rm(`${folder}/${force}`, { force: true });
    const strange = `${folder}/${pipeline}.${about}._.1.2.0.decided.${kind}.json`;
    await writeFile(strange, text.replace('"force"', `"${kind}"`).replace('"gate": "a"', `"gate": "${about}"`));
    for (const args of [['run', '--quiet'], ['run', '--quiet'], ['plan']]) {
      const { code, err } = await say(...args);
      expect([kind, code, err]).toEqual([kind, 2, expect.stringContaining(`RECORD_TOO_NEW`)]);
      expect(err).toContain(`decided.${kind}.json: a kind of record that this version of Gateline does not know`);
    }
    expect((await say('status')).out).toContain('a kind of record that this version of Gateline does not know');
    await rm(strange);
  }
  expect((await say('run', '--quiet')).code).toBe(1);
});

it('a decision about an earlier run names that run', async () => {
  await using workspace = await chain(PASSES);
  const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  await say('run', '--quiet');
  await say('run', '--quiet');
  const { out } = await say('pin', '--run', '1', '--reason', 'release', '--actor', 'ann');
  expect(out).toBe('run 1: pin by ann: release\n');
});

it('a run that was rolled back is not paused: it is over', async () => {
  await using workspace = await chain(PASSES);
  const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
  await say('run', '--quiet');
  await say('rollback', '--all');
  const { code, err } = await say('pause', '--reason', 'x');
  expect([code, err]).toEqual([2, expect.stringContaining('nothing to pause: run 1 of main was rolled back')]);
});
