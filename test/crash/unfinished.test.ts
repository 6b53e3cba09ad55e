import { describe, expect, it } from 'vitest';
import { gatelineYml, writes, expectOk, gatelineIn as call, type Answer } from '../cli/in-process.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { DYING } from './kill-points.ts';

/** A gate that writes its name into two files. Without `inputs` of these files it is reused, whatever they hold. */
const makes = (name: string): object => ({
  run: [`echo ${name} > f1.txt`, `echo ${name} > f2.txt`, writes(name)].join('\n'),
  inputs: [],
  files: ['f*.txt'],
});

const FILES = {
  'gateline.yml': gatelineYml({ first: makes('one'), second: { ...makes('two'), needs: 'first' } }),
  // Another pipeline, and one with the same id: the records of both are apart, the folder is not.
  'other.yml': gatelineYml({ first: makes('other') }).replace('"p"', '"other"'),
  'same.yml': gatelineYml({ first: makes('same') }),
  'f1.txt': 'old\n',
  'f2.txt': 'old\n',
};

/** A workspace whose run is applied. */
async function applied(): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create(FILES);
  await expectOk(call(workspace, 'run', '-q', '--apply'));
  return workspace;
}

/** Runs a command that is killed right after a durable operation, by the end of that operation's name. */
async function killed(workspace: ScratchWorkspace, at: string, ...words: string[]): Promise<void> {
  const { signal, stderr } = await workspace.gateline(words, { script: DYING, env: { DIE_AT: at } });
  expect([words, signal], stderr).toEqual([words, 'SIGKILL']);
}

/** A workspace whose run is rolled back by half. */
async function half(...words: string[]): Promise<ScratchWorkspace> {
  const workspace = await applied();
  await killed(workspace, 'put f1.txt', 'rollback', ...words);
  expect(await texts(workspace)).not.toEqual(['two', 'two']);
  return workspace;
}

async function texts(workspace: ScratchWorkspace): Promise<string[]> {
  return [(await workspace.read('f1.txt')).trim(), (await workspace.read('f2.txt')).trim()];
}

async function expectRefused(workspace: ScratchWorkspace, command: string, ...words: string[]): Promise<void> {
  const before = await texts(workspace);
  const { code, err } = await call(workspace, ...words);
  expect([words, code, err]).toEqual([words, 2, expect.stringContaining('ROLLBACK_UNFINISHED')]);
  expect(err).toContain(`\`${command}\` completes it.`);
  expect(await texts(workspace)).toEqual(before);
}

const problems = async (answer: Promise<Answer>): Promise<unknown> =>
  (JSON.parse((await expectOk(answer)).out) as { problems: unknown }).problems;

describe.runIf(process.platform !== 'win32')('an interrupted rollback', () => {
  it.each(['other.yml', 'same.yml'])('keeps gates of %s from starting in the same folder', async (file) => {
    await using workspace = await half('--all');
    const command = "gateline rollback --all --run 'main#1'";
    for (const words of [['run', '--apply'], ['begin', 'first'], ['skip', 'first', '--reason', 'test']])
      await expectRefused(workspace, command, ...words, '--file', file);
    await expectRefused(workspace, command, 'rollback', '--all', '--file', file);
    expect(await problems(call(workspace, 'status', '--json', '--file', file))).toMatchObject([
      { code: 'ROLLBACK_UNFINISHED', message: expect.stringContaining(command) as unknown },
    ]);
    await expectOk(call(workspace, 'rollback', '--all'));
    expect(await texts(workspace)).toEqual(['old', 'old']);
    await expectOk(call(workspace, 'run', '-q', '--apply', '--file', file));
  });

  it.each(['other.yml', 'same.yml'])('of a run of %s is named with that file', async (file) => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await expectOk(call(workspace, 'run', '-q', '--apply', '--file', file));
    await killed(workspace, 'put f1.txt', 'rollback', '--all', '--file', file);
    const command = `gateline rollback --all --run 'main#1' --file ${file}`;
    await expectRefused(workspace, command, 'run');
    await expectRefused(workspace, command, 'run', '--file', file);
    await expectRefused(workspace, command, 'rollback', '--all');
    await expectOk(call(workspace, ...command.replaceAll("'", '').split(' ').slice(1)));
    expect(await texts(workspace)).toEqual(['old', 'old']);
    await expectOk(call(workspace, 'run', '-q'));
  });

  it('keeps everybody from deciding about gates, and is completed by the same command', async () => {
    await using workspace = await half('--to', 'first');
    await workspace.write('answer.json', '1');
    const command = "gateline rollback --to first --run 'main#1'";
    for (const word of ['approve', 'reject', 'force', 'skip'])
      await expectRefused(workspace, command, word, 'second', '--reason', 'test');
    await expectRefused(workspace, command, 'adopt', 'second', '--output', 'answer.json', '--reason', 'test');
    await expectOk(call(workspace, 'pin', '--reason', 'test'));
    expect((await expectOk(call(workspace, 'rollback', '--to', 'first'))).out).toContain('Run 1 of p for main: paused');
    expect(await texts(workspace)).toEqual(['one', 'one']);
    await expectOk(call(workspace, 'skip', 'second', '--reason', 'test'));
  });

  it('of an earlier run is completed by the same command, and keeps other runs from being rolled back', async () => {
    await using workspace = await applied();
    await expectOk(call(workspace, 'run', '-q'));
    await killed(workspace, 'put f1.txt', 'rollback', '--all', '--run', '1');
    const command = "gateline rollback --all --run 'main#1'";
    await expectRefused(workspace, command, 'rollback', '--all', '--run', '2');
    await expectRefused(workspace, command, 'rollback', '--to', 'first');
    await expectRefused(workspace, command, 'rollback', '--all', '--subject', 'another');
    expect((await expectOk(call(workspace, 'rollback', '--all'))).out).toContain('Rolled back 2 gates');
    expect(await texts(workspace)).toEqual(['old', 'old']);
    await expectOk(call(workspace, 'run', '-q'));
  });
});
