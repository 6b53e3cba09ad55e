import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BAD_RECORDS } from '../../contract/bad-records.ts';
import { decidedRecord, endedRecord, startedRecord } from '../../contract/samples.ts';
import { filesBelow, makeWorkspace } from './workspace.ts';

const posix = process.platform !== 'win32';
const left = BAD_RECORDS.filter(([, code]) => code === 'UNKNOWN_VERSION' || code === 'UNREADABLE');
const moved = BAD_RECORDS.filter(([kind]) => kind !== 'empty' && !left.some(([other]) => other === kind));

describe('records as files', () => {
  it('are where the documentation says, pretty printed, one a file, and nothing else is left behind', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const records = [
      startedRecord(),
      endedRecord({ leg: 'chrome' }),
      decidedRecord({ runNumber: 12, subject: 'Feature/Login' }),
    ];
    for (const record of records) {
      await store.write(record);
      expect(await readFile(made.fileOf(record), 'utf8')).toBe(`${JSON.stringify(record, null, 2)}\n`);
    }
    expect(await filesBelow(made.root)).toEqual([
      '.gitignore',
      'runs/feature-login-1ce27709f2ada8c3/12/ship.design._.12.1.0.decided.skip.json',
      'runs/pr-42/1/ship.design._.1.1.1.started.json',
      'runs/pr-42/1/ship.design.chrome.1.1.1.ended.json',
    ]);
  });

  it('are told of by onDurable, each when it is durable', async () => {
    await using made = await makeWorkspace();
    const told: string[] = [];
    const store = await made.open({ onDurable: (what) => told.push(what) });
    told.length = 0;
    await store.write(startedRecord());
    await store.write(startedRecord());
    const { digest } = await store.put('x');
    await store.put('x');
    expect(told).toEqual(['record .state/runs/pr-42/1/ship.design._.1.1.1.started.json', `content ${digest}`]);
  });

  it('are written also when their folders were removed while the store was open', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    const { digest } = await store.put('x');
    for (const folder of ['runs', 'content', 'tmp']) await rm(join(made.root, folder), { recursive: true });
    expect(await store.write(startedRecord())).toBe('written');
    await store.put('x');
    expect(await store.check(digest)).toMatchObject({ state: 'present' });
  });

  it('are read once by a store with readsOnce, however often it lists them, as long as they exist', async () => {
    await using made = await makeWorkspace();
    const [first, second] = [startedRecord(), endedRecord()];
    const store = await made.open({ readsOnce: true });
    await store.write(first);
    expect(await store.list('ship', 'pr-42')).toEqual({ records: [first], problems: [] });
    await writeFile(made.fileOf(first), 'only a store that reads it again finds out');
    await (await made.open()).write(second);
    expect((await store.list('ship', 'pr-42')).records).toEqual([first, second]);
    await store.list('ship', 'another');
    expect((await store.list('ship', 'pr-42')).problems).toMatchObject([{ code: 'CORRUPT' }]);
    await rm(made.fileOf(second));
    expect((await store.list('ship', 'pr-42')).records).toEqual([]);
  });

  it('that systems and people leave copies of are not taken for records, nor hide any', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    const folder = dirname(made.fileOf(startedRecord()));
    for (const name of [
      '.DS_Store',
      '._ship.design._.1.1.1.started.json',
      'ship.design._.1.1.1.started.json.swp',
      'notes.txt',
    ])
      await writeFile(join(folder, name), 'x');
    await cp(folder, join(folder, '..', '1 (backup)'), { recursive: true });
    expect(await store.list('ship', 'pr-42')).toEqual({ records: [startedRecord()], problems: [] });
    await cp(made.fileOf(startedRecord()), join(folder, 'ship.design._.1.1.1.started (conflicted copy).json'));
    const { records, problems } = await store.list('ship', 'pr-42');
    expect(records).toEqual([startedRecord()]);
    expect(problems).toMatchObject([{ code: 'FOREIGN' }]);
    expect(problems[0]).not.toHaveProperty('names');
  });
});

describe('bad record files', () => {
  it.each(moved)(
    '%s: the bytes go to quarantine with a note, once, and a tombstone keeps the name',
    async (_, code, spoil) => {
      await using made = await makeWorkspace();
      const store = await made.open();
      const bad = startedRecord();
      await store.write(bad);
      const bytes = spoil(bad) as Uint8Array;
      await writeFile(made.fileOf(bad), bytes);
      const [problem] = (await store.list('ship', 'pr-42')).problems;
      expect(problem!.quarantine).toMatch(
        /^\.state\/quarantine\/runs\/pr-42\/1\/ship\.design\._\.1\.1\.1\.started\.json\.[0-9a-f]{12}$/,
      );
      const kept = join(made.workspace, problem!.quarantine!);
      expect(Buffer.compare(await readFile(kept), bytes)).toBe(0);
      expect(JSON.parse(await readFile(`${kept}.why.json`, 'utf8'))).toMatchObject({
        was: problem!.where,
        code,
        message: problem!.message,
      });
      expect(JSON.parse(await readFile(made.fileOf(bad), 'utf8'))).toMatchObject({
        format: 'gateline-tombstone/1',
        code,
      });
      const before = await filesBelow(made.root);
      expect((await (await made.open()).list('ship', 'pr-42')).problems).toEqual([problem]);
      expect(await filesBelow(made.root)).toEqual(before);
    },
  );

  it.each(left)('%s: stays where it is, untouched', async (_, code, spoil) => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const bad = startedRecord();
    await store.write(bad);
    const bytes = spoil(bad);
    await rm(made.fileOf(bad));
    if (bytes === 'unreadable') await mkdir(made.fileOf(bad));
    else await writeFile(made.fileOf(bad), bytes);
    const before = await filesBelow(made.root);
    expect((await store.list('ship', 'pr-42')).problems).toMatchObject([{ code }]);
    expect(await filesBelow(made.root)).toEqual(before);
    if (bytes !== 'unreadable') expect(Buffer.compare(await readFile(made.fileOf(bad)), bytes)).toBe(0);
  });

  it('an empty one stays: it holds nothing, and may be the name that a writer without hard links has just taken', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    await writeFile(made.fileOf(startedRecord()), '');
    const [problem] = (await store.list('ship', 'pr-42')).problems;
    expect(problem).toMatchObject({ code: 'TRUNCATED', names: { gate: 'design' } });
    expect(problem).not.toHaveProperty('quarantine');
    expect(await readFile(made.fileOf(startedRecord()), 'utf8')).toBe('');
  });

  it.each(moved)('%s: a reader that may not write tells the same and moves nothing', async (_, code, spoil) => {
    await using made = await makeWorkspace();
    const bad = startedRecord();
    await (await made.open()).write(bad);
    await writeFile(made.fileOf(bad), spoil(bad) as Uint8Array);
    const before = await filesBelow(made.root);
    const reader = await made.open({ readOnly: true });
    const { problems } = await reader.list('ship', 'pr-42');
    expect(problems).toMatchObject([{ code, names: { gate: 'design', n: 1 } }]);
    expect(problems[0]).not.toHaveProperty('quarantine');
    expect(await filesBelow(made.root)).toEqual(before);
    await expect(reader.write(bad)).rejects.toMatchObject({ code: 'STORE_READ_ONLY' });
  });

  it('a sound record in the folder of another run is foreign there', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    await store.write(startedRecord({ runNumber: 2 }));
    const copy = join(dirname(made.fileOf(startedRecord({ runNumber: 2 }))), 'ship.design._.1.1.1.started.json');
    await cp(made.fileOf(startedRecord()), copy);
    const { records, problems } = await store.list('ship', 'pr-42');
    expect(records).toHaveLength(2);
    expect(problems).toMatchObject([
      { code: 'FOREIGN', names: { runNumber: 1 }, message: expect.stringContaining('run 1 where 2 belongs') as string },
    ]);
  });

  it('a link in its place is not followed, and a pipe is not waited for', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    const [linked, piped] = [startedRecord({ n: 1 }), startedRecord({ n: 2 })];
    await store.write(linked);
    await store.write(piped);
    await rename(made.fileOf(linked), join(made.workspace, 'elsewhere.json'));
    await symlink(join(made.workspace, 'elsewhere.json'), made.fileOf(linked));
    await rm(made.fileOf(piped));
    if (posix) execFileSync('mkfifo', [made.fileOf(piped)]);
    else await mkdir(made.fileOf(piped));
    const { records, problems } = await store.list('ship', 'pr-42');
    expect(records).toEqual([]);
    expect(problems.map((problem) => `${problem.code} ${problem.names?.n}`).toSorted()).toEqual([
      'UNREADABLE 1',
      'UNREADABLE 2',
    ]);
  });

  it('a folder that cannot be listed may hide any number of records, and that is said', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    await writeFile(join(made.root, 'runs', 'pr-42', '2'), 'a file in the place of the second run');
    expect(await store.list('ship', 'pr-42')).toMatchObject({
      records: [startedRecord()],
      problems: [{ code: 'LISTING_LIMIT', where: '.state/runs/pr-42/2' }],
    });
    await rm(join(made.root, 'runs', 'pr-42'), { recursive: true });
    await writeFile(join(made.root, 'runs', 'pr-42'), '');
    expect(await store.list('ship', 'pr-42')).toMatchObject({
      records: [],
      problems: [{ code: 'LISTING_LIMIT', where: '.state/runs/pr-42' }],
    });
  });

  it('where quarantine cannot be written the problem is told all the same, with why, and the file stays', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    await writeFile(made.fileOf(startedRecord()), 'garbage');
    await writeFile(join(made.root, 'quarantine'), 'in the way');
    const { problems } = await store.list('ship', 'pr-42');
    expect(problems).toMatchObject([
      {
        code: 'CORRUPT',
        message: expect.stringMatching(/could not be moved to quarantine: .*E(EXIST|NOTDIR)/) as string,
      },
    ]);
    expect(await readFile(made.fileOf(startedRecord()), 'utf8')).toBe('garbage');
  });

  it('a subject is listed also where its only record is bad, as far as its folder tells', async () => {
    await using made = await makeWorkspace();
    const store = await made.open();
    await store.write(startedRecord());
    await writeFile(made.fileOf(startedRecord()), 'garbage');
    expect(await store.subjects('ship')).toEqual(['pr-42']);
    expect(await store.subjects('other')).toEqual([]);
  });
});
