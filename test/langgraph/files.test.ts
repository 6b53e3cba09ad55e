import fc from 'fast-check';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { decodeId, encodeId, foldersOf } from '../../src/langgraph/ids.ts';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { drawn } from '../support/samples.ts';
import { all, at, idOf, put, valuesAt } from './saver.ts';

/** Files below a folder, `/`-separated, without what is said once for each thread. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== '.gitignore');
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).toSorted();
}

async function opened() {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'checkpoints');
  return { path, saver: createFileCheckpointer(path), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe('ids as names', () => {
  it('are read back, fold to no other name, and are no names that a system reserves', () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(id, id, (one, other) => {
        const name = encodeId(one);
        expect(decodeId(name)).toBe(one);
        expect(name).toMatch(/^(?:[a-z0-9_-]|%[0-9a-f]{2})+$/);
        expect(
          foldersOf(one)
            .map((part) => part.replace('+', ''))
            .join(''),
        ).toBe(name);
        expect(Math.max(...foldersOf(one).map((part) => part.length))).toBeLessThan(160);
        if (one !== other) expect(name.toLowerCase()).not.toBe(encodeId(other).toLowerCase());
      }),
      drawn(2_000),
    );
    expect(['con', 'nul', 'com1', 'CON'].map(encodeId)).toEqual(['%63on', '%6eul', '%63om1', '%43%4f%4e']);
    expect(['%41x', '%4', 'A', 'con', 'a.b', '%7A', '%61', '%2e%2e', '%2e%2e%2fx'].map(decodeId)).toEqual([
      'Ax',
      ...Array.from({ length: 8 }, () => undefined),
    ]);
  });

  it('that lead out of the folder, are no texts, or are too long for a file name, are refused', async () => {
    await using world = await opened();
    const { saver, path } = world;
    const bad: unknown[] = ['../up', 'a/../../b', '..', '..\\x', '', 7, 'half \ud800', null];
    for (const id of bad) {
      await expect(put(saver, at(id as string), {})).rejects.toMatchObject({
        code: 'LANGGRAPH_ID_REFUSED',
        fault: 'user',
      });
      await expect(saver.deleteThread(id as string)).rejects.toMatchObject({ code: 'LANGGRAPH_ID_REFUSED' });
    }
    await expect(put(saver, at('t', 'a/../b'), {})).rejects.toMatchObject({ code: 'LANGGRAPH_ID_REFUSED' });
    for (const id of ['../x', 'x'.repeat(101)])
      await expect(put(saver, at('t'), {}, { id })).rejects.toMatchObject({ code: 'LANGGRAPH_ID_REFUSED' });
    await expect(saver.putWrites(at('t', '', 'c'), [['x', 1]], '../task')).rejects.toMatchObject({
      code: 'LANGGRAPH_ID_REFUSED',
    });
    await expect(saver.getTuple(at('t', '', '../../etc'))).rejects.toMatchObject({ code: 'LANGGRAPH_ID_REFUSED' });
    await expect(readdir(path)).rejects.toThrow('ENOENT');
  });

  it('that differ by case, or are very long, are threads and namespaces of their own', async () => {
    await using world = await opened();
    const ids = ['PRD 7', 'prd 7', 'Prd 7', 'con', '.hidden', '/etc/passwd', 'x'.repeat(400), `${'x'.repeat(400)}Y`];
    for (const id of ids) await put(world.saver, at(id, id), { id });
    const again = createFileCheckpointer(world.path);
    const found = (await all(again.list({}))).map(({ config }) => config.configurable?.['thread_id'] as string);
    expect(found.toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await valuesAt(again, at(id, id))).toEqual({ id });
    expect((await readdir(world.path)).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  it('that look like the name of another one are ids of their own', async () => {
    await using world = await opened();
    const { saver } = world;
    const long = 'x'.repeat(150);
    for (const id of ['a b', `${long}yy`]) await put(saver, at(id), { id }, { id: 'A' });
    for (const other of ['a%20b', `${long}+`]) {
      expect(await saver.getTuple(at(other))).toBeUndefined();
      await saver.deleteThread(other);
    }
    expect(await saver.getTuple(at('a b', '', '%41'))).toBeUndefined();
    await put(saver, at('a%20b'), { id: 'other' });
    expect(await valuesAt(saver, at('a b'))).toEqual({ id: 'a b' });
    expect(await valuesAt(saver, at('a%20b'))).toEqual({ id: 'other' });
    expect(await valuesAt(saver, at(`${long}yy`))).toEqual({ id: `${long}yy` });
  });
});

describe('the files of a thread', () => {
  it('are one for each step and each call of putWrites, and one for a large value that stays', async () => {
    await using world = await opened();
    const { saver, path } = world;
    const brief = 'b'.repeat(40_000);
    const [first, second, third] = [
      { brief: 1, log: 1 },
      { brief: 1, log: 2 },
      { brief: 1, log: 3 },
    ];
    const a = await put(saver, at('thread'), { brief, log: ['1'] }, { versions: first });
    const b = await put(saver, a, { brief, log: ['1', '2'] }, { versions: second, fresh: ['log'] });
    const c = await put(saver, b, { brief, log: ['1', '2', '3'] }, { versions: third, fresh: ['log'] });
    await saver.putWrites(a, [['log', '2']], 'task', '~1');
    await saver.putWrites(a, [['log', '2']], 'task', '~1');
    const files = await filesIn(join(path, 'thread'));
    expect(files.filter((name) => !name.startsWith('content/'))).toEqual(
      [...[a, b, c].map((one) => `${idOf(one)}.json`), `writes/${idOf(a)}.task.0.json`].toSorted(),
    );
    expect(files.filter((name) => name.startsWith('content/'))).toHaveLength(1);
    const sizes = await Promise.all(
      [b, c].map(async (one) => (await readFile(join(path, 'thread', `${idOf(one)}.json`))).length),
    );
    expect(Math.max(...sizes)).toBeLessThan(1_500);
    expect(await valuesAt(createFileCheckpointer(path), c)).toEqual({ brief, log: ['1', '2', '3'] });
    // Whole documents, for people and other tools.
    for (const name of files.filter((one) => one.endsWith('.json')))
      JSON.parse(await readFile(join(path, 'thread', name), 'utf8'));
    expect(await saver.steps('thread')).toMatchObject([
      { checkpoint: idOf(c), parent: idOf(b), source: 'loop', channels: { brief: 40_002, log: 13 }, writes: [] },
      { checkpoint: idOf(b), parent: idOf(a) },
      { checkpoint: idOf(a), writes: [{ task: 'task', channel: 'log' }] },
    ]);
  });

  it('are written by the serializer of the saver', async () => {
    await using world = await opened();
    class Rot extends JsonPlusSerializer {
      override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
        const [type, bytes] = await super.dumpsTyped(value);
        return [`rot-${type}`, bytes.map((byte) => byte ^ 0x5a)];
      }
      override async loadsTyped(type: string, bytes: Uint8Array): Promise<unknown> {
        return super.loadsTyped(
          type.slice('rot-'.length),
          bytes.map((byte) => byte ^ 0x5a),
        );
      }
    }
    const saver = createFileCheckpointer(world.path, { serde: new Rot() });
    const config = await put(saver, at('t'), { secret: 'plain text' });
    await saver.putWrites(config, [['secret', 'plain text']], 'task');
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', 'secret', 'plain text']]);
    expect(await valuesAt(createFileCheckpointer(world.path, { serde: new Rot() }), config)).toEqual({
      secret: 'plain text',
    });
    for (const name of await filesIn(world.path))
      expect(await readFile(join(world.path, name), 'latin1')).not.toContain('plain');
  });

  it("are read as LangGraph's serializer reads them", async () => {
    await using world = await opened();
    const serde = new JsonPlusSerializer();
    const value = fc.anything({
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: false,
    });
    const marked = fc.oneof(
      value,
      fc.record({
        lc: fc.constantFrom(1, 2, '3'),
        type: fc.constantFrom('constructor', 'undefined', 'other'),
        args: value,
        id: value,
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(marked, { maxLength: 5 }), async (list) => {
        const config = await put(world.saver, at('t'), { list });
        const [type, bytes] = await serde.dumpsTyped(list);
        expect(await valuesAt(world.saver, config)).toEqual({ list: await serde.loadsTyped(type, bytes) });
      }),
      drawn(200),
    );
  });

  it('may be removed by another process at any time', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), { a: 1 });
    await rm(join(world.path, 't'), { recursive: true });
    expect(await world.saver.getTuple(config)).toBeUndefined();
    const next = await put(world.saver, config, { a: 2 });
    await world.saver.putWrites(next, [['a', 3]], 'task');
    expect(await valuesAt(world.saver, at('t'))).toEqual({ a: 2 });
    await rm(world.path, { recursive: true });
    expect(await all(world.saver.list({}))).toEqual([]);
  });
});

describe('a file that is not whole', () => {
  const DAMAGE: readonly [string, (text: Buffer) => Buffer | string, RegExp][] = [
    ['truncated', (bytes) => bytes.subarray(0, bytes.length - 9), /ends before its JSON does/],
    ['empty', () => '', /empty/],
    [
      'with one bit changed in a value',
      (bytes) => Buffer.from(bytes.toString().replace('good', 'gooe')),
      /another checksum/,
    ],
    ['not JSON', () => 'Hello', /not valid JSON/],
    ['JSON of something else', () => '{"a": 1}', /not of a checkpoint/],
  ];

  it.each(DAMAGE)('%s: is an error, is kept aside, and is not taken for an older step', async (_, damage, message) => {
    await using world = await opened();
    const first = await put(world.saver, at('t'), { a: 'good' });
    const second = await put(world.saver, first, { a: 'good' });
    const file = join(world.path, 't', `${idOf(second)}.json`);
    const bytes = damage(await readFile(file));
    await writeFile(file, bytes);
    for (const saver of [createFileCheckpointer(world.path), createFileCheckpointer(world.path)]) {
      await expect(saver.getTuple(at('t'))).rejects.toMatchObject({
        code: 'LANGGRAPH_STEP_CORRUPT',
        message: expect.stringMatching(message) as string,
      });
      await expect(all(saver.list(at('t')))).rejects.toMatchObject({ code: 'LANGGRAPH_STEP_CORRUPT' });
      expect(await valuesAt(saver, first)).toEqual({ a: 'good' });
      expect(await saver.steps('t')).toMatchObject([
        { checkpoint: idOf(second), problem: expect.stringMatching(message) as string },
        { checkpoint: idOf(first), source: 'loop' },
      ]);
    }
    const kept = (await filesIn(join(world.path, 't', 'quarantine'))).filter((name) => !name.endsWith('.why.json'));
    expect(kept).toHaveLength(1);
    expect(await readFile(join(world.path, 't', 'quarantine', kept[0]!), 'latin1')).toBe(
      Buffer.from(bytes).toString('latin1'),
    );
    // Away with it: the thread continues from the step before.
    await rename(file, `${file}.moved`);
    expect(await valuesAt(world.saver, at('t'))).toEqual({ a: 'good' });
  });

  it('of writes: is an error, too', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), {});
    await world.saver.putWrites(config, [['a', 'good']], 'task');
    await writeFile(
      join(world.path, 't', 'writes', `${idOf(config)}.task.0.json`),
      '{"format":"gateline-langgraph/1","crc',
    );
    await expect(createFileCheckpointer(world.path).getTuple(config)).rejects.toMatchObject({
      code: 'LANGGRAPH_STEP_CORRUPT',
    });
  });

  it('of another version: is an error, and stays where it is', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), {});
    await writeFile(join(world.path, 't', `${idOf(config)}.json`), '{"format":"gateline-langgraph/2"}');
    await expect(createFileCheckpointer(world.path).getTuple(at('t'))).rejects.toMatchObject({
      code: 'LANGGRAPH_STEP_UNKNOWN',
    });
    expect(await readdir(join(world.path, 't'))).not.toContain('quarantine');
  });

  it('of another thread or step: is an error', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), { a: 1 });
    const bytes = await readFile(join(world.path, 't', `${idOf(config)}.json`));
    await mkdir(join(world.path, 'u'));
    await writeFile(join(world.path, 'u', `${idOf(config)}.json`), bytes);
    await writeFile(join(world.path, 't', 'z.json'), bytes);
    const saver = createFileCheckpointer(world.path);
    await expect(saver.getTuple(at('u'))).rejects.toThrow(/disagree: thread "t" where "u" belongs/);
    await expect(saver.getTuple(at('t'))).rejects.toThrow(/disagree: checkpoint/);
  });

  it('in the place of a large value: is an error, and never another value', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), { large: 'x'.repeat(2_000_000) });
    const content = (await filesIn(join(world.path, 't'))).find((name) => name.startsWith('content/'));
    const file = join(world.path, 't', content!);
    await writeFile(file, 'x'.repeat(2_000_001));
    await expect(createFileCheckpointer(world.path).getTuple(config)).rejects.toMatchObject({
      code: 'LANGGRAPH_VALUE_MISSING',
      message: expect.stringMatching(
        new RegExp(`^A value of the step ${idOf(config)} of the thread t cannot be read: t/${content}: .*digest`),
      ) as string,
    });
    expect(await filesIn(join(world.path, 't', 'quarantine'))).not.toEqual([]);
    await rm(file);
    for (const reading of [
      createFileCheckpointer(world.path).getTuple(config),
      createFileCheckpointer(world.path)
        .steps('t')
        .then(([step]) => Promise.reject(new Error(step?.problem))),
    ])
      await expect(reading).rejects.toThrow(
        `A value of the step ${idOf(config)} of the thread t cannot be read: t/${content}: `,
      );
    // The same value again makes the place good.
    await put(createFileCheckpointer(world.path), at('t'), { large: 'x'.repeat(2_000_000) });
    expect(await createFileCheckpointer(world.path).getTuple(config)).toBeDefined();
  });

  it('is none at all: a folder, a link, a thread that is a file', async () => {
    await using world = await opened();
    const config = await put(world.saver, at('t'), { a: 1 });
    const file = join(world.path, 't', `${idOf(config)}.json`);
    await rename(file, join(world.path, 'elsewhere.json'));
    await symlink(join(world.path, 'elsewhere.json'), file);
    await mkdir(join(world.path, 'u', 'a.json'), { recursive: true });
    await writeFile(join(world.path, 'v'), 'a file');
    await symlink('/', join(world.path, 'w'));
    const saver = createFileCheckpointer(world.path);
    for (const thread of ['t', 'u', 'v'])
      await expect(saver.getTuple(at(thread))).rejects.toMatchObject({ code: 'LANGGRAPH_STEP_UNREADABLE' });
    await expect(put(saver, at('w'), {})).rejects.toMatchObject({ code: 'STATE_ESCAPES' });
  });
});
