import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FINDINGS } from '../../src/local/doctor/finding.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineIn, gatelineYml, writes } from './in-process.ts';

interface Report {
  readonly sound: boolean;
  readonly findings: readonly {
    code: string;
    severity: string;
    path: string;
    message: string;
    repair: string | null;
  }[];
  readonly repairs: readonly { action: string; path: string }[];
}

let pristine: ScratchWorkspace;

beforeAll(async () => {
  const edits = { run: `echo more > made.txt; ${writes(1)}`, files: ['made.txt'], inputs: ['hello.txt'] };
  const gates = { a: edits, b: { needs: 'a', run: `echo said; ${writes({ b: 2 })}`, inputs: [] } };
  pristine = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates), 'hello.txt': 'hello\n' });
  await expectOk(gatelineIn(pristine, 'run', '-q', '--subject', 'first'));
  await expectOk(gatelineIn(pristine, 'run', '-q', '--subject', 'Second One', '-m', 'url=https://example.com'));
});
afterAll(() => pristine[Symbol.asyncDispose]());

/** The doctor's report, whose exit code is as it says. */
async function doctor(workspace: ScratchWorkspace, ...more: string[]): Promise<Report> {
  const { code, out, err } = await gatelineIn(workspace, 'doctor', '--json', ...more);
  const report = JSON.parse(out) as Report & { format: string };
  expect([code, report.format], err).toEqual([report.sound ? 0 : 1, 'gateline-doctor/1']);
  return report;
}

/** Code and path of each finding. */
function found({ findings }: Report): string[] {
  return findings.map(({ code, path }) => `${code} ${path.replace(/[0-9a-f]{62}/, 'HEX')}`);
}

/** Every file of the state with its bytes, without the lock. */
async function filesOf(workspace: ScratchWorkspace): Promise<Record<string, string>> {
  const all = await readdir(workspace.path('.state'), { recursive: true, withFileTypes: true });
  const paths = all
    .filter((one) => one.isFile() && !one.name.startsWith('lock.'))
    .map((one) => join(one.parentPath, one.name));
  const read = paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'latin1')]);
  return Object.fromEntries(await Promise.all(read));
}

async function recordOf(workspace: ScratchWorkspace, subject: string, kind: RegExp): Promise<string> {
  const folder = `.state/runs/${subject}/1`;
  return join(
    folder,
    (await readdir(workspace.path(folder))).find((name) => kind.test(name))!,
  ).replaceAll('\\', '/');
}

const RECORD = /^p\.b\..*ended/;

/** The content of the output of gate b. */
async function contentOf(workspace: ScratchWorkspace): Promise<string> {
  const record = JSON.parse(await readFile(workspace.path(await recordOf(workspace, 'first', RECORD)), 'utf8')) as {
    value: { digest: string };
  };
  const hex = record.value.digest.slice('sha256:'.length);
  return `.state/content/sha256/${hex.slice(0, 2)}/${hex.slice(2)}`;
}

describe('doctor', () => {
  it('finds nothing in a sound state, reads only, and says so', async () => {
    const before = await filesOf(pristine);
    expect(await doctor(pristine)).toEqual({ format: 'gateline-doctor/1', sound: true, findings: [], repairs: [] });
    const { out, err } = await expectOk(gatelineIn(pristine, 'doctor'));
    expect([out, err]).toEqual(['The state of this workspace is sound.\n', '']);
    expect(await filesOf(pristine)).toEqual(before);
    expect((await doctor(pristine, '--repair')).repairs).toEqual([]);
    expect(await filesOf(pristine)).toEqual(before);
  });

  it('finds nothing where nothing ever ran, and creates nothing', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ a: { run: writes(1) } }) });
    expect((await doctor(workspace)).findings).toEqual([]);
    expect(await readdir(workspace.root)).not.toContain('.state');
  });

  it('shows a person what it reads, on a terminal only', async () => {
    const { err } = await gateline(pristine.root, ['doctor'], { screen: { interactive: true, columns: 60 } });
    expect(err).toContain('checking contents: 1 of ');
  });

  const second = (): Promise<string[]> =>
    readdir(pristine.path('.state/runs')).then((all) => all.filter((one) => one !== 'first'));

  /** What is broken, what is found, and what is left after --repair. */
  const broken: Record<string, readonly [(workspace: ScratchWorkspace) => Promise<unknown>, RegExp[], RegExp[]]> = {
    'a record that is cut off': [
      async (workspace) => writeFile(workspace.path(await recordOf(workspace, 'first', RECORD)), '{"kind": '),
      [
        /^RECORD_UNREADABLE .*b\._\.1\.1\.1\.ended/,
        /^STATE_FILE_OUTDATED/,
        /^STATE_FILE_OUTDATED/,
        /^STATE_FILE_OUTDATED/,
      ],
      [/^RECORD_QUARANTINED .*b\._\.1\.1\.1\.ended/, /^QUARANTINE_KEPT/],
    ],
    'a record under the name of another': [
      async (workspace) =>
        cp(
          workspace.path(await recordOf(workspace, 'first', RECORD)),
          workspace.path('.state/runs/first/1/p.b._.1.7.1.ended.json'),
        ),
      [/^RECORD_UNREADABLE .*1\.7\.1/, /^STATE_FILE_OUTDATED/, /^STATE_FILE_OUTDATED/, /^STATE_FILE_OUTDATED/],
      [/^RECORD_QUARANTINED .*1\.7\.1/, /^QUARANTINE_KEPT/],
    ],
    'an empty record': [
      (workspace) => workspace.write('.state/runs/first/1/p.b._.1.7.1.started.json', ''),
      [/^RECORD_UNREADABLE .*1\.7\.1/, /^STATE_FILE_OUTDATED/, /^STATE_FILE_OUTDATED/, /^STATE_FILE_OUTDATED/],
      [/^RECORD_UNREADABLE .*1\.7\.1/],
    ],
    'records in a folder of another name': [
      async (workspace) => {
        const [folder] = await second();
        await rename(workspace.path(`.state/runs/${folder}`), workspace.path('.state/runs/Elsewhere!'));
      },
      [/^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/],
      [/^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/, /^RECORD_UNREADABLE/],
    ],
    'a content that was changed': [
      async (workspace) => writeFile(workspace.path(await contentOf(workspace)), 'other'),
      [/^CONTENT_ALTERED \.state\/content\/sha256\/..\/HEX/],
      [/^CONTENT_ALTERED/, /^QUARANTINE_KEPT/],
    ],
    'a content that is gone': [
      async (workspace) => rm(workspace.path(await contentOf(workspace))),
      [/^CONTENT_MISSING \.state\/content\/sha256\/..\/HEX/],
      [/^CONTENT_MISSING/],
    ],
    'a content that is a folder': [
      async (workspace) => {
        const path = workspace.path(await contentOf(workspace));
        await rm(path);
        await mkdir(path);
      },
      [/^CONTENT_UNREADABLE/],
      [/^CONTENT_UNREADABLE/],
    ],
    'a file that is no content': [
      (workspace) => workspace.write('.state/content/sha256/ab/notes', 'x'),
      [/^CONTENT_NAME \.state\/content\/sha256\/ab\/notes$/],
      [/^CONTENT_NAME/],
    ],
    'a damaged index': [
      async (workspace) => {
        await gatelineIn(workspace, 'plan', '--subject', 'third');
        await appendFile(workspace.path('.state/checkpoints.jsonl'), 'no line\n');
      },
      [/^INDEX_DAMAGED \.state\/checkpoints\.jsonl$/],
      [],
    ],
    'an index without an output': [
      async (workspace) => {
        const path = workspace.path('.state/checkpoints.jsonl');
        const lines = (await readFile(path, 'utf8')).split('\n');
        await writeFile(path, lines.filter((_, at) => at !== 1).join('\n'));
      },
      [/^INDEX_DAMAGED/],
      [],
    ],
    'a state file that was edited': [
      async (workspace) => {
        const path = workspace.path('.state/first-gate0-output.json');
        await writeFile(path, (await readFile(path, 'utf8')).replace('"gate": 0', '"gate": 7'));
      },
      [/^STATE_FILE_CHANGED \.state\/first-gate0-output\.json$/],
      [/^QUARANTINE_KEPT/],
    ],
    'a checkpoint that was edited': [
      (workspace) => workspace.edit('.state/first-gate1-checkpoint.md', 'passed', 'failed'),
      [/^STATE_FILE_CHANGED \.state\/first-gate1-checkpoint\.md$/],
      [/^QUARANTINE_KEPT/],
    ],
    'a state file that is gone': [
      (workspace) => rm(workspace.path('.state/first-pipeline.json')),
      [/^STATE_FILE_OUTDATED \.state\/first-pipeline\.json$/],
      [],
    ],
    'lines that are no history': [
      async (workspace) => {
        await appendFile(workspace.path('.state/history.jsonl'), '{"format":"gateline-history/99"}\n');
        const month = (await readdir(workspace.path('.state/history'))).find((name) => name.endsWith('.jsonl'));
        await appendFile(workspace.path(`.state/history/${month}`), 'x\n');
        await writeFile(workspace.path('.state/history/1999-01.jsonl'), 'x\n');
      },
      [
        /^HISTORY_DAMAGED \.state\/history.jsonl$/,
        /^HISTORY_DAMAGED \.state\/history\/1999-01.jsonl$/,
        /^HISTORY_DAMAGED \.state\/history\/2/,
      ],
      [/^QUARANTINE_KEPT/],
    ],
    'a history without a run': [
      async (workspace) => {
        const path = workspace.path('.state/history.jsonl');
        await writeFile(path, (await readFile(path, 'utf8')).split('\n').slice(1).join('\n'));
      },
      [/^HISTORY_INCOMPLETE \.state\/history\.jsonl$/],
      [],
    ],
    'a history without what it says of gates': [
      async (workspace) => {
        const month = (await readdir(workspace.path('.state/history'))).find((name) => name.endsWith('.jsonl'))!;
        const path = workspace.path(`.state/history/${month}`);
        await writeFile(path, (await readFile(path, 'utf8')).split('\n').slice(1).join('\n'));
      },
      [/^HISTORY_INCOMPLETE \.state\/history\/20\d\d-\d\d\.jsonl$/],
      [],
    ],
    'an object that is not what its name says': [
      async (workspace) => {
        const objects = workspace.path('.state/git/objects');
        const all = await readdir(objects, { recursive: true, withFileTypes: true });
        const one = all.find(({ name, parentPath }) => /^[0-9a-f]{38}$/.test(name) || parentPath.endsWith('pack'))!;
        await rm(join(one.parentPath, one.name));
        await writeFile(join(one.parentPath, one.name), 'junk');
      },
      [/^OBJECTS_DAMAGED \.state\/git$/],
      [/^OBJECTS_DAMAGED/],
    ],
    'a list of applied files that is no JSON': [
      async (workspace) => {
        await expectOk(gatelineIn(workspace, 'apply', '--subject', 'first'));
        const [call] = await readdir(workspace.path('.state/applied'));
        await writeFile(workspace.path(`.state/applied/${call}/applied.json`), '{');
      },
      [/^APPLIED_LIST_UNREADABLE \.state\/applied\/.*applied\.json$/],
      [/^APPLIED_LIST_UNREADABLE/],
    ],
  };

  it.each(Object.entries(broken))(
    'finds %s, and repairs it as far as records allow',
    async (_what, [spoil, wrong, left]) => {
      await using workspace = await pristine.copy();
      await spoil(workspace);
      const before = await filesOf(workspace);
      const first = await doctor(workspace);
      const match = (all: RegExp[]) => all.map((one) => expect.stringMatching(one) as unknown);
      const sorted = (report: Report): string[] => found(report).toSorted();
      const order = (all: RegExp[]) => match(all.toSorted((a, b) => (a.source < b.source ? -1 : 1)));
      expect(sorted(first)).toEqual(order(wrong));
      expect(await filesOf(workspace)).toEqual(before);
      const repaired = await doctor(workspace, '--repair');
      expect(sorted(repaired)).toEqual(order(left));
      const planned = first.findings.flatMap(({ repair, path }) => (repair === null ? [] : [`${repair} ${path}`]));
      expect(repaired.repairs.map(({ action, path }) => `${action} ${path}`).toSorted()).toEqual(planned.toSorted());
      const after = await filesOf(workspace);
      const isKept = ([path, bytes]: [string, string]): boolean =>
        after[path] === bytes || Object.values(after).includes(bytes);
      const records = Object.entries(before).filter(([path]) => /[\\/](?:runs|content)[\\/]/.test(path));
      expect(records.filter((one) => !isKept(one)).map(([path]) => path)).toEqual([]);
      expect(await doctor(workspace, '--repair')).toEqual({ ...repaired, repairs: [] });
      expect(await filesOf(workspace)).toEqual(after);
    },
  );

  it('names a record of a newer version and leaves it', async () => {
    await using workspace = await pristine.copy();
    const path = await recordOf(workspace, 'first', RECORD);
    await workspace.edit(path, 'gateline-record/2', 'gateline-record/9');
    const report = await doctor(workspace, '--repair');
    expect(report.findings[0]).toMatchObject({ code: 'RECORD_TOO_NEW', path, repair: null });
    expect(await readFile(workspace.path(path), 'utf8')).toContain('gateline-record/9');
  });

  it('says who has the lock, does nothing then, and names a damaged lock', async () => {
    await using workspace = await pristine.copy();
    const go = workspace.beside('go');
    await workspace.write(
      'gateline.yml',
      gatelineYml({ a: { run: `until [ -e '${go}' ]; do sleep 0.05; done; ${writes(1)}` } }),
    );
    const running = workspace.start(['run', '-q']);
    await expect.poll(async () => found(await doctor(workspace)).join(), { timeout: 60_000 }).toMatch(/^LOCK_HELD/);
    // The agent runs, so the command writes nothing more until it has ended.
    const attempts = workspace.path('.state/attempts');
    const begun = async (): Promise<string[]> => readdir(attempts, { recursive: true }).catch(() => []);
    await expect.poll(async () => (await begun()).some((path) => basename(path) === 'process.json')).toBe(true);
    const before = await filesOf(workspace);
    const { code, err } = await gatelineIn(workspace, 'doctor', '--repair');
    expect([code, err]).toEqual([75, expect.stringContaining('ENGINE_BUSY')]);
    expect(Object.keys(await filesOf(workspace)).filter((path) => /quarantine/.test(path))).toEqual([]);
    expect(Object.keys(before).length).toBeGreaterThan(0);
    await writeFile(go, '');
    await running.ended;
    const lock = (await readdir(workspace.path('.state'))).find((name) => name.startsWith('lock.'))!;
    await writeFile(workspace.path(`.state/${lock}`), 'x');
    expect(found(await doctor(workspace))[0]).toBe(`LOCK_DAMAGED .state/${lock}`);
  });

  it('ends with 74 where the contents cannot be listed', async () => {
    await using workspace = await pristine.copy();
    await rm(workspace.path('.state/content'), { recursive: true });
    await workspace.write('.state/content', '');
    const { code, err } = await gatelineIn(workspace, 'doctor');
    expect([code, err]).toEqual([74, expect.stringContaining('STORE_READ_FAILED')]);
  });

  it('has every finding in docs/reference/state-files.md', async () => {
    const page = await readFile(join(REPOSITORY, 'docs/reference/state-files.md'), 'utf8');
    for (const [code, { severity }] of Object.entries(FINDINGS))
      expect(page).toContain(`| \`${code}\` | ${severity} |`);
  });
});
