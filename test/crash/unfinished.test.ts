import { readdirSync } from 'node:fs';
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
    for (const words of [
      ['run', '--apply'],
      ['begin', 'first'],
      ['skip', 'first', '--reason', 'test'],
    ])
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

  it.each(['first._.1.3.0.decided.adopt.json', 'first._.1.3.1.ended.json', 'second._.1.4.0.decided.rollback.json'])(
    'to a gate that waits for approval again is completed, also after %s',
    async (record) => {
      const first = { ...makes('one'), inputs: ['f1.txt'], approval: 'required' };
      const gates = { first, second: { ...makes('two'), needs: 'first' } };
      await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': gatelineYml(gates) });
      expect((await call(workspace, 'run', '-q')).code).toBe(3);
      await expectOk(call(workspace, 'approve', 'first', '--reason', 'test'));
      await expectOk(call(workspace, 'run', '-q', '--apply'));
      await killed(workspace, record, 'rollback', '--to', 'first');
      expect((await expectOk(call(workspace, 'rollback', '--to', 'first'))).out).toContain(
        'Rolled back 1 gate: second.',
      );
      expect(await texts(workspace)).toEqual(['one', 'one']);
      expect((await expectOk(call(workspace, 'rollback', '--to', 'first'))).out).toContain(
        'is rolled back to first already',
      );
      expect((await expectOk(call(workspace, 'status'))).out).toMatch(/first +paused .* waiting for approval/);
      await expectOk(call(workspace, 'approve', 'first', '--reason', 'test'));
      await expectOk(call(workspace, 'resume', '-q', '--apply'));
      expect(await texts(workspace)).toEqual(['two', 'two']);
    },
  );

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

describe.runIf(process.platform !== 'win32')('a clock that was set back', () => {
  it('hides no interrupted rollback, and makes none of one that was completed', async () => {
    await using workspace = await applied();
    await expectOk(call(workspace, 'rollback', '--all'));
    for (const name of readdirSync(workspace.path('.state/applied')))
      await workspace.edit(`.state/applied/${name}/applied.json`, /"at": ".*"/, '"at": "2090-01-01T00:00:00.000Z"');
    await expectOk(call(workspace, 'run', '-q', '--apply'));
    await killed(workspace, 'put f1.txt', 'rollback', '--all');
    await expectRefused(workspace, "gateline rollback --all --run 'main#2'", 'run');
    await expectOk(call(workspace, 'rollback', '--all'));
    expect(await texts(workspace)).toEqual(['old', 'old']);
    await expectOk(call(workspace, 'run', '-q'));
  });
});

describe.runIf(process.platform !== 'win32')('an interrupted apply', () => {
  /** Expects that the command ends with all files of run 1 in the folder, and starts nothing. */
  async function expectCompleted(workspace: ScratchWorkspace, ...words: string[]): Promise<void> {
    const { out, err } = await expectOk(call(workspace, ...words));
    expect(out + err).not.toContain(': started');
    expect(await texts(workspace)).toEqual(['two', 'two']);
    const { problems: none, run } = JSON.parse((await expectOk(call(workspace, 'status', '--json'))).out) as {
      problems: unknown;
      run: number;
    };
    expect([none, run]).toEqual([[], 1]);
  }

  /** A gate that reads the file would run again on what is there in part. */
  const READS = { second: { ...makes('two'), needs: 'first', inputs: ['f1.txt'] }, first: makes('one') };

  it.each([
    { first: [], last: 'run --apply' },
    { first: ['run', '--until', 'first'], last: 'resume --apply' },
    { first: ['run', '--until', 'first'], last: 'resume --from first --apply' },
  ])('of `$last` is named by status, and completed by the same command', async ({ first, last }) => {
    const words = last.split(' ');
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': gatelineYml(READS) });
    if (first.length > 0) await expectOk(call(workspace, ...first, '-q'));
    await killed(workspace, 'put f1.txt', ...words, '-q');
    expect(await texts(workspace)).toEqual(['two', 'old']);
    for (const more of [[], ['--file', 'other.yml']])
      expect(await problems(call(workspace, 'status', '--json', ...more))).toMatchObject([
        {
          code: 'APPLY_UNFINISHED',
          message: expect.stringContaining("`gateline apply 'main#1'` completes it") as unknown,
        },
      ]);
    await expectCompleted(workspace, ...words, '-q');
    const again = await call(workspace, ...words, '-q');
    if (words.includes('--from')) expect(again.err).toMatch(/RUN_COMPLETED[^]*`gateline apply`/);
    else expect(again.code, again.err).toBe(0);
  });

  it('is named by a rollback to a gate, which takes no file for one that somebody changed', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await expectOk(call(workspace, 'run', '-q'));
    await killed(workspace, 'put f1.txt', 'apply');
    const { code, err } = await call(workspace, 'rollback', '--to', 'first');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/ROLLBACK_CONFLICT: .*`gateline apply 'main#1'` completes it/),
    ]);
    expect(err).not.toContain('it was changed since');
    expect(await texts(workspace)).toEqual(['two', 'old']);
    await expectOk(call(workspace, 'apply'));
    await expectOk(call(workspace, 'rollback', '--to', 'first'));
    expect(await texts(workspace)).toEqual(['one', 'one']);
  });

  it('of a fork is completed by the same command, which begins no other fork', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await expectOk(call(workspace, 'run', '-q'));
    const fork = ['fork', '1', '--from', 'second', '--reason', 'test', '--apply', '-q'];
    await killed(workspace, 'put f1.txt', ...fork);
    await expectOk(call(workspace, ...fork));
    expect(await texts(workspace)).toEqual(['two', 'two']);
    const { out } = await expectOk(call(workspace, 'status', '--json'));
    expect(JSON.parse(out)).toMatchObject({ run: 2, problems: [] });
  });

  it('of single gates is named with them, and undone by a rollback', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await expectOk(call(workspace, 'run', '-q', '--file', 'other.yml'));
    await killed(workspace, 'put f1.txt', 'apply', '--gate', 'first', '--file', 'other.yml');
    expect(await problems(call(workspace, 'status', '--json'))).toMatchObject([
      { message: expect.stringContaining("`gateline apply 'main#1' --gate first --file other.yml`") as unknown },
    ]);
    await expectOk(call(workspace, 'rollback', '--all', '--file', 'other.yml'));
    expect(await texts(workspace)).toEqual(['old', 'old']);
    expect(await problems(call(workspace, 'status', '--json'))).toEqual([]);
  });

  it('is over when every file is there, as after a kill at the end', async () => {
    await using workspace = await ScratchWorkspace.create(FILES);
    await killed(workspace, 'put f2.txt', 'run', '--apply', '-q');
    expect(await texts(workspace)).toEqual(['two', 'two']);
    expect(await problems(call(workspace, 'status', '--json'))).toEqual([]);
    expect((await expectOk(call(workspace, 'run', '--apply', '-q'))).out).toContain('run 2');
  });
});
