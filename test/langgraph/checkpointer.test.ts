import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ERROR,
  INTERRUPT,
  RESUME,
  type CheckpointListOptions,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../src/errors.ts';
import { createFileCheckpointer, type FileCheckpointer } from '../../src/langgraph/index.ts';
import { all, at, idOf, put, testFolder, valuesAt, type Config } from './support.ts';

const usage = expect.objectContaining({ name: 'GatelineError', fault: 'usage' }) as unknown;

async function writesAt(saver: FileCheckpointer, config: Config): Promise<unknown> {
  return (await saver.getTuple(config))?.pendingWrites;
}

describe('files of a checkpointer', () => {
  it('are JSON, a step each, in a folder that has the name of the thread, and git ignores them', async () => {
    await using folder = await testFolder();
    const saver = folder.open();
    expect(await saver.getTuple(at('prd-7'))).toBeUndefined();
    expect(await all(saver.list({}))).toEqual([]);
    await saver.deleteThread('prd-7');
    expect(await readdir(folder.parent)).toEqual([]);

    const first = await put(saver, at('prd-7'), { text: 'ä\n\u2028', sum: { a: 1 } }, '1f0a');
    await saver.putWrites(first, [['text', 'x']], 'Task 1', '~__pregel_pull, code');
    await put(saver, at('prd-7', 'child:1|x'), { text: new Set([1]) }, '1f0b');
    expect((await readdir(folder.path, { recursive: true })).sort()).toEqual([
      '.gitignore',
      'prd-7',
      'prd-7/1f0a.json',
      expect.stringMatching(/^prd-7\/1f0a\.task-1-[0-9a-f]{16}\.0\.json$/),
      'prd-7/ns',
      expect.stringMatching(/^prd-7\/ns\/child-1-x-[0-9a-f]{16}$/),
      expect.stringMatching(/^prd-7\/ns\/child-1-x-[0-9a-f]{16}\/1f0b\.json$/),
    ]);
    expect(JSON.parse(await readFile(join(folder.path, 'prd-7/1f0a.json'), 'utf8'))).toMatchObject({
      v: 1,
      thread_id: 'prd-7',
      checkpoint_id: '1f0a',
      checkpoint: { channel_values: { text: 'ä\n\u2028', sum: { a: 1 } } },
      metadata: { source: 'loop' },
    });
    expect(await valuesAt(folder.open(), at('prd-7', 'child:1|x'))).toEqual({ text: new Set([1]) });
  });

  it('are of one thread each, whatever its id is', async () => {
    await using folder = await testFolder();
    const long = 'x'.repeat(100_000);
    const names = '. .. ../x / \\ a/b a\0b a A ä a\u0308 \ud800 线程 🙂 con ns .gitignore .deleted-x __proto__ % x. x';
    const ids = [...names.split(' '), '', 'a b', 'a-0123456789abcdef', long, `${long}y`];
    const saver = folder.open();
    for (const id of ids) await put(saver, at(id, id), { id });
    for (const id of ids) {
      expect(await valuesAt(folder.open(), at(id, id))).toEqual({ id });
      expect((await all(folder.open().list({ configurable: { thread_id: id } }))).length).toBe(1);
    }
    const list = await all(folder.open().list({}));
    expect(list.map(({ config }) => config.configurable?.['thread_id'] as string).sort()).toEqual(ids.toSorted());
    for (const id of ids) await saver.deleteThread(id);
    expect(await readdir(folder.path)).toEqual(['.gitignore']);
    expect(await readdir(folder.parent)).toEqual(['checkpoints']);
  });

  it('are not written for invalid ids', async () => {
    await using folder = await testFolder();
    const saver = folder.open();
    for (const id of ['../x', 'A', 'a.b', 'a\n', 'x'.repeat(101), 7, null])
      await expect(put(saver, at('t'), {}, id as string)).rejects.toEqual(usage);
    for (const thread of [undefined, 7, null, {}]) await expect(put(saver, at(thread), {})).rejects.toEqual(usage);
    await expect(saver.putWrites(at('t', '', 'c'), [['x', 1]], 7 as never)).rejects.toEqual(usage);
    await expect(saver.getTuple(at('t', '', '../x'))).rejects.toEqual(usage);
    await expect(saver.deleteThread(undefined as never)).rejects.toEqual(usage);
    for (const path of ['', undefined as never]) expect(() => createFileCheckpointer(path)).toThrow(GatelineError);
    expect(await readdir(folder.parent)).toEqual([]);
  });

  it('that are damaged, moved or of another version are an error with their path', async () => {
    await using folder = await testFolder();
    const step = await put(folder.open(), at('t'), { text: 'x' }, 'b');
    await folder.open().putWrites(step, [['text', 'y']], 'task');
    const names = ['b.json', 'b.task.0.json'].map((name) => join(folder.path, 't', name));
    for (const path of names) {
      const text = await readFile(path, 'utf8');
      const texts = [
        ...['', '{}', 'null', text.slice(0, 20), text.slice(0, -2), text.slice(0, text.length / 2), text + text],
        ...[text.replace('"v":1', '"v":2'), text.replace('"checkpoint_id":"b"', '"checkpoint_id":"../b"')],
        ...[text.replace('"t"', '"u"'), text.replace('"b"', '"c"'), text.replace(/\n("\w+|"0:text)":/, '\n"other":')],
        ...[text.replace(/:(\{"v":4|"y")/, ':x$1'), text.replace(/"values":\[.*\]/, '"values":[]')],
      ];
      for (const damaged of texts.filter((other) => other !== text)) {
        await writeFile(path, damaged);
        const error = { fault: 'platform', place: { file: path }, hint: expect.stringContaining('Move') as string };
        await expect(folder.open().getTuple(at('t')), damaged).rejects.toMatchObject(error);
        await expect(all(folder.open().list({})), damaged).rejects.toThrow(`${path} is damaged: `);
      }
      await writeFile(path, text);
      expect(await writesAt(folder.open(), at('t'))).toEqual([['task', 'text', 'y']]);
    }
    // As the hint says: without its file, a step is gone, and the one before it is the newest.
    await put(folder.open(), at('t'), {}, 'a');
    await rename(names[0]!, join(folder.parent, 'away'));
    expect((await folder.open().getTuple(at('t')))?.checkpoint.id).toBe('a');
  });
});

describe('what was stored', () => {
  it('does not change: the same again is fine, another content of the same id an error', async () => {
    await using folder = await testFolder();
    const config = { configurable: { thread_id: 't' } };
    const checkpoint = {
      v: 4,
      id: 'a',
      ts: '',
      channel_values: { n: 1 },
      channel_versions: { n: 1 },
      versions_seen: {},
    };
    const metadata = { source: 'input', step: -1, parents: {} } as const;
    for (let n = 0; n < 2; n += 1) await folder.open().put(config, checkpoint, metadata, { n: 1 });
    const other = { ...checkpoint, channel_values: { n: 2 } };
    await expect(folder.open().put(config, other, metadata, { n: 1 })).rejects.toEqual(usage);
    expect(await valuesAt(folder.open(), at('t'))).toEqual({ n: 1 });
    expect(await readdir(join(folder.path, 't'))).toEqual(['a.json']);
  });

  it('is the value at the time of the call, in all kinds that the serializer has', async () => {
    await using folder = await testFolder();
    const bytes = new Uint8Array([0, 10, 255]);
    const values = {
      list: [undefined, null, { lc: 'x' }],
      map: new Map([['a', new Set([1])]]),
      error: new Error('e'),
      bytes,
    };
    const saver = folder.open();
    const expected = structuredClone(values);
    const pending = put(saver, at('t'), values);
    values.list.push({ lc: 'y' });
    const stored = await pending;
    const writes = ['bytes', '__proto__'].map((channel): [string, unknown] => [channel, bytes]);
    const write = saver.putWrites(stored, writes, 'task');
    bytes.fill(7);
    await write;
    expect(await valuesAt(folder.open(), at('t'))).toEqual(expected);
    const first = new Uint8Array([0, 10, 255]);
    expect(await writesAt(folder.open(), at('t'))).toEqual(writes.map(([channel]) => ['task', channel, first]));
  });

  it('is refused if the serializer cannot write it as JSON', async () => {
    await using folder = await testFolder();
    const saver = folder.open();
    await expect(put(saver, at('t'), { n: 1n })).rejects.toEqual(usage);
    const config = await put(saver, at('t'), { n: 1 });
    for (const value of [1n, () => 1])
      await expect(saver.putWrites(config, [['n', value]], 'task')).rejects.toEqual(usage);
    expect(await writesAt(saver, config)).toEqual([]);
  });

  it('goes through the serializer of the user, whatever bytes it makes', async () => {
    await using folder = await testFolder();
    const invert = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
    for (const [thread, type] of ['secret', 'json'].entries()) {
      const serde: SerializerProtocol = {
        dumpsTyped: async (value) => [type, invert(Buffer.from(JSON.stringify(value, undefined, 2)))],
        loadsTyped: async (_, data) => JSON.parse(Buffer.from(invert(data as Uint8Array)).toString()) as unknown,
      };
      const saver = createFileCheckpointer(folder.path, { serde });
      const config = await put(saver, at(`${thread}`), { text: 'plain' });
      await saver.putWrites(config, [['text', { a: 1 }]], 'task');
      expect(await saver.getTuple(config)).toMatchObject({
        checkpoint: { channel_values: { text: 'plain' } },
        pendingWrites: [['task', 'text', { a: 1 }]],
      });
    }
  });

  it('by one task: the first value holds, of interrupts, errors and answers the last, in the order of the calls', async () => {
    await using folder = await testFolder();
    const config = await put(folder.open(), at('t'), {});
    const write = (task: string, writes: string, saver = folder.open()) =>
      saver.putWrites(
        config,
        writes.split(' ').map((text) => text.split('=') as [string, string]),
        task.at(-1)!,
        task,
      );
    await folder.open().putWrites(config, [], 'a');
    await write('path b', 'n=1 constructor=2');
    await write('path b', `n=3 n=4 n=5 ${ERROR}=e`);
    await write('z', 'n=0');
    // Without waiting, as a node with several questions does.
    const saver = folder.open();
    const answers = Array.from({ length: 12 }, (_, n) => write('a', `${RESUME}=${'x'.repeat(40 - n)}`, saver));
    await Promise.all([...answers, write('a', `${RESUME}=last ${INTERRUPT}=why`, saver)]);
    const texts = ((await folder.open().getTuple(config))?.pendingWrites ?? []).map((write) => write.join(' '));
    const ofB = [`b ${ERROR} e`, 'b n 1', 'b constructor 2', 'b n 5'];
    expect(texts).toEqual([`a ${RESUME} last`, `a ${INTERRUPT} why`, ...ofB, 'z n 0']);
  });

  it('is listed newest first, by thread, namespace, id, metadata and number', async () => {
    await using folder = await testFolder();
    const saver = folder.open();
    const metadata = (step: number) => ({ source: 'loop', step, parents: {}, user: { name: 'u' } }) as const;
    for (const [id = '', thread, namespace] of ['at', 'bu', 'ctx', 'dt']) {
      const checkpoint = { v: 4, id, ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} };
      await saver.put(at(thread, namespace), checkpoint, metadata(id.charCodeAt(0)), {});
    }
    const t = { configurable: { thread_id: 't' } };
    const table: [Config, CheckpointListOptions, string][] = [
      [{}, {}, 'dcba'],
      [t, {}, 'dca'],
      [{ configurable: { checkpoint_ns: 'x' } }, {}, 'c'],
      [{}, { limit: 2 }, 'dc'],
      [{}, { limit: 0 }, ''],
      [{}, { before: at('t', '', 'c') }, 'ba'],
      [at('t', '', 'a'), {}, 'a'],
      [{}, { filter: { step: 98 } }, 'b'],
      [{}, { filter: { user: { name: 'u' }, none: undefined }, limit: 3 }, 'dcb'],
      [{}, { filter: { toString: 1 } }, ''],
    ];
    for (const [config, options, ids] of table)
      expect((await all(saver.list(config, options))).map((tuple) => idOf(tuple.config)).join('')).toBe(ids);
  });
});
