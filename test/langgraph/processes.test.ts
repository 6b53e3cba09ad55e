import { readdir } from 'node:fs/promises';
import { INTERRUPT, uuid6 } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { Program, all, at, put, testFolder, valuesAt } from './support.ts';

describe('a thread of several processes', () => {
  it('has all that was acknowledged, and nothing half, when its writer is killed at any moment', async () => {
    await using folder = await testFolder();
    const kills = Array.from({ length: 3 }, async (_, k) => {
      const thread = `t${k}`;
      const last = 1 + Math.floor(Math.random() * 25);
      const writer = new Program('writer.ts', [folder.path, thread, 'n'], (_line, program) => {
        if (program.lines.length === last) setTimeout(() => program.kill(), Math.random() * 10);
      });
      expect(await writer.end()).toBe(true);
      const steps = await all(folder.open().list(at(thread)));
      const known = new Map(steps.map((step) => [step.checkpoint.id, step]));
      for (const line of writer.lines) {
        const [kind, id = '', n] = line.split(' ');
        const step = known.get(id);
        expect(step?.checkpoint.channel_values).toEqual({ n: Number(n), text: `${n}`.repeat(30_000) });
        if (kind === 'writes') expect(step?.pendingWrites).toHaveLength(2);
      }
      for (const { checkpoint, pendingWrites } of steps) {
        expect(Object.keys(checkpoint.channel_values)).toEqual(['n', 'text']);
        expect([0, 2]).toContain(pendingWrites?.length);
      }
      // One step more at most: what was stored when the process was killed, and not acknowledged.
      expect(steps.length - writer.lines.filter((line) => line.startsWith('step')).length).toBeLessThanOrEqual(1);
    });
    await Promise.all(kills);
  });

  it('has the steps and writes of two programs that work at once', async () => {
    await using folder = await testFolder();
    const shared = uuid6(0);
    await put(folder.open(), at('t'), {}, shared);
    const writers = ['a', 'b'].map((name) => new Program('writer.ts', [folder.path, 't', name, '15', shared]));
    await Promise.all(writers.map((writer) => writer.end()));
    const [steps, again] = [await all(folder.open().list(at('t'))), await all(folder.open().list(at('t')))];
    expect(again).toEqual(steps);
    expect(steps).toHaveLength(31);
    for (const name of ['a', 'b']) {
      const values = steps.map(({ checkpoint }) => checkpoint.channel_values[name]).filter((n) => n !== undefined);
      expect(values).toEqual(Array.from({ length: 15 }, (_, n) => 14 - n));
    }
    const writes = steps.at(-1)!.pendingWrites!;
    expect(writes).toHaveLength(32);
    const ofBoth = writes.filter(([task]) => task === 'both').map(([, channel, value]) => [channel, value]);
    expect(ofBoth).toEqual([
      [INTERRUPT, expect.stringMatching(/^[ab] 14$/)],
      ['winner', expect.stringMatching(/^[ab]$/)],
    ]);
  });

  it('is created again after it is deleted, while a program uses it', async () => {
    await using folder = await testFolder();
    const deletions: Promise<void>[] = [];
    const writer = new Program('writer.ts', [folder.path, 't', 'n', '30'], () => {
      if (writer.lines.length % 10 === 0 && writer.lines.length < 45) deletions.push(folder.open().deleteThread('t'));
    });
    expect(await writer.end()).toBe(false);
    await Promise.all(deletions);
    expect(deletions.length).toBe(4);
    expect((await all(folder.open().list(at('t')))).length).toBeLessThan(30);
    // On a busy machine the last deletion may come after the last step.
    expect(await new Program('writer.ts', [folder.path, 't', 'n', '30']).end()).toBe(false);
    expect(await valuesAt(folder.open(), at('t'))).toMatchObject({ n: 29 });
    await folder.open().deleteThread('t');
    expect(await readdir(folder.path)).toEqual(['.gitignore']);
  });
});
