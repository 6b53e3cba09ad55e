import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/store/files/log.ts';
import { dieAtEachStep, entryOf, reasonsOf, testFolder } from './folder.ts';

const LINE = `${JSON.stringify(entryOf('x'))}\n`;

describe('the log', () => {
  it('is empty at first, then has the entries of all writers in the order of lines', async () => {
    await using folder = await testFolder();
    const [ours, others] = [openLog(folder.state), openLog(await folder.reopen())];
    expect(await ours.read()).toEqual([]);
    expect(reasonsOf(await ours.append(entryOf('a')))).toEqual(['a']);
    expect(reasonsOf(await others.append(entryOf('b'), entryOf('c')))).toEqual(['a', 'b', 'c']);
    const before = await ours.read();
    expect(reasonsOf(await ours.append(entryOf('d')))).toEqual(['a', 'b', 'c', 'd']);
    expect(reasonsOf(before)).toEqual(['a', 'b', 'c']);
    expect(await others.read()).toEqual(await ours.read());
  });

  it('takes entries of many writers at the same time, each once', async () => {
    await using folder = await testFolder();
    const writer = join(import.meta.dirname, 'writer.ts');
    const log = openLog(folder.state);
    await Promise.all([
      ...['a', 'b', 'c'].map((name) =>
        promisify(execFile)(process.execPath, [writer, folder.state.path, 'append', name]),
      ),
      ...Array.from({ length: 20 }, (_, n) => log.append(entryOf(`d${n}`))),
    ]);
    const reasons = reasonsOf(await log.read());
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(reasons.filter((reason) => reason.startsWith(name))).toEqual(
        Array.from({ length: 20 }, (_, n) => name + n),
      );
    }
    expect(await openLog(folder.state).read()).toEqual(await log.read());
    expect(await readdir(folder.state.path)).not.toContain('log.lock');
  });

  it('ignores an incomplete last line, and the next writer removes it', async () => {
    await using folder = await testFolder();
    const path = folder.state.pathOf('log.jsonl');
    for (let length = 1; length < LINE.length; length += 13) {
      await writeFile(path, LINE + LINE.slice(0, length));
      expect(reasonsOf(await openLog(folder.state).read())).toEqual(['x']);
      expect(reasonsOf(await openLog(folder.state).append(entryOf('y')))).toEqual(['x', 'y']);
      expect(await readFile(path, 'utf8')).toBe(LINE + LINE.replace('"x"', '"y"'));
    }
  });

  it('has all or nothing of an entry whose writer was killed at any step', async () => {
    const steps = await dieAtEachStep(
      async (state) => {
        await openLog(state).append(entryOf('a'));
        await openLog(state).append(entryOf('b'));
      },
      async ({ state }, step) => {
        const reasons = reasonsOf(await openLog(state).append(entryOf('c')));
        expect([step, reasons]).toEqual([step, reasons.length === 1 ? ['c'] : ['a', 'c']]);
      },
    );
    expect(steps).toEqual(['write log.lock', 'append log.jsonl', 'write log.lock', 'append log.jsonl']);
  });

  it('refuses an entry that could not be read again, and writes nothing', async () => {
    await using folder = await testFolder();
    const log = openLog(folder.state);
    expect(() => log.append(entryOf('a'), entryOf('x'.repeat(5_000)))).toThrow(
      expect.objectContaining({ fault: 'bug' }),
    );
    expect(await log.read()).toEqual([]);
  });
});

describe('a line that cannot be read', () => {
  it.each([
    ['no JSON', 'garbage\n'],
    ['an empty line', '\n'],
    ['zeros of a power cut', `${'\0'.repeat(80)}\n`],
    ['two lines in one', `${LINE.slice(0, 30)}${LINE}`],
    ['an entry with a field too many', LINE.replace('{', '{"more":1,')],
    ['an entry of no kind', LINE.replace('decided', 'other')],
  ])('stops readers and writers with its place, until it is repaired: %s', async (_, bad) => {
    await using folder = await testFolder();
    const path = folder.state.pathOf('log.jsonl');
    await writeFile(path, LINE);
    const log = openLog(folder.state);
    await log.read();
    await appendFile(path, bad + LINE);
    const error = expect.objectContaining({
      fault: 'platform',
      place: { file: path, line: 2 },
      hint: expect.stringContaining('gateline check --repair'),
    });
    await expect(log.read()).rejects.toThrow(error);
    await expect(openLog(folder.state).append(entryOf('y'))).rejects.toThrow(error);
    expect(await readFile(path, 'utf8')).toBe(LINE + bad + LINE);

    expect(await log.repair()).toEqual([2]);
    expect(reasonsOf(await log.read())).toEqual(['x', 'x']);
    const aside = (await readdir(folder.state.path)).find((name) => /^log\.jsonl\..*\.bad$/.test(name)) ?? '';
    expect(await readFile(folder.state.pathOf(aside), 'utf8')).toBe(LINE + bad + LINE);
    expect(await log.repair()).toEqual([]);
  });

  it('whatever its lines are, is read, or refused by the first bad one, which a repair takes out', async () => {
    await using folder = await testFolder();
    const path = folder.state.pathOf('log.jsonl');
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(entryOf('x')), '__proto__'), fc.jsonValue());
    const text = fc.string({ unit: 'binary' }).map((line) => line.replaceAll('\n', ''));
    const bad = fc.oneof(
      text,
      fields.map((some) => JSON.stringify({ ...entryOf('x'), ...some, v: 1 })),
    );
    const good = fc.string().map((reason) => JSON.stringify(entryOf(reason)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(good, bad), { maxLength: 4 }), async (lines) => {
        await writeFile(path, lines.map((line) => `${line}\n`).join(''));
        const error: unknown = await openLog(folder.state)
          .read()
          .then(
            () => undefined,
            (error: unknown) => error,
          );
        if (error !== undefined) expect(error).toMatchObject({ fault: 'platform', place: { file: path } });
        const removed = await openLog(folder.state).repair();
        expect(removed[0]).toBe((error as { place: { line: number } } | undefined)?.place.line);
        const kept = lines
          .filter((_, index) => !removed.includes(index + 1))
          .map((line) => JSON.parse(line) as unknown);
        expect(await openLog(folder.state).read()).toMatchObject(kept);
      }),
      { numRuns: 30 },
    );
  });

  it('is not removed by a repair if a newer version wrote it', async () => {
    await using folder = await testFolder();
    await writeFile(folder.state.pathOf('log.jsonl'), LINE.replace('"v":1', '"v":2'));
    const log = openLog(folder.state);
    await expect(log.read()).rejects.toThrow(/line 1: written by a newer version/);
    await expect(log.repair()).rejects.toThrow(/newer version/);
  });
});

describe('a log that is rewritten', () => {
  it('is read anew by readers of the old one', async () => {
    await using folder = await testFolder();
    const [ours, others] = [openLog(folder.state), openLog(folder.state)];
    await ours.append(...Array.from({ length: 50 }, (_, n) => entryOf(n)));
    await others.read();
    const even = await ours.rewrite((entries) => entries.filter((_, index) => index % 2 === 0));
    expect([even.length, reasonsOf(even).at(-1)]).toEqual([25, '48']);
    expect(await others.read()).toEqual(even);
    await others.append(entryOf('more'));
    expect(reasonsOf(await ours.read()).slice(-2)).toEqual(['48', 'more']);
  });

  it('is read anew after it was cut or replaced in place', async () => {
    await using folder = await testFolder();
    const log = openLog(folder.state);
    await log.append(entryOf('a'), entryOf('b'));
    await truncate(folder.state.pathOf('log.jsonl'), LINE.length);
    expect(reasonsOf(await log.read())).toEqual(['a']);
    await writeFile(folder.state.pathOf('log.jsonl'), LINE + LINE);
    expect(reasonsOf(await log.read())).toEqual(['x', 'x']);
  });

  it('is the old or the new one if the writer or a repair is killed', async () => {
    const steps = await dieAtEachStep(
      async (state) => {
        await writeFile(state.pathOf('log.jsonl'), `${LINE}bad\n${LINE}`);
        await openLog(state).repair();
        await openLog(state).rewrite((entries) => entries.slice(1));
      },
      async ({ state }) => {
        await openLog(state).repair();
        expect(await openLog(state).read()).toHaveLength(2);
      },
    );
    expect(steps).toEqual([...Array(2)].flatMap(() => ['write log.lock', 'write tmp', 'rename log.jsonl']));
  });
});
