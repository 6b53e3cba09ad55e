import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../src/formats/formats.ts';
import { readSources } from '../../../src/local/exchange/read-sources.ts';
import { gateline, gatelineYml, expectOk, writes } from '../../cli/in-process.ts';
import { plainEnvironment } from '../../support/command-line.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';

const EXECUTIONS = '.claude/skills/nexus/history/executions.jsonl';
const GATES = { one: { run: writes(1) }, two: { run: writes(2), needs: 'one' } };
const created = (files: Readonly<Record<string, string>> = {}, more: object = {}): Promise<ScratchWorkspace> =>
  ScratchWorkspace.create({ 'gateline.yml': gatelineYml(GATES, { subject: 's', ...more }), ...files });
const run = async (workspace: ScratchWorkspace, ...formats: string[]): Promise<string> => {
  const mirror = formats.flatMap((format) => ['--mirror', format]);
  return (await expectOk(gateline(workspace.root, ['run', '--quiet', ...mirror]))).out;
};
const kept = async (workspace: ScratchWorkspace): Promise<string[]> => {
  const all = await readdir(workspace.path('.state/quarantine'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return all.filter((one) => one.isFile()).map(({ name }) => name);
};

describe('a mirror', () => {
  it('keeps a copy of what others wrote, and of its own files none', async () => {
    await using workspace = await created();
    await workspace.write(EXECUTIONS, '{"mine":1}\n');
    expect(await run(workspace, 'nexus')).toContain(`${EXECUTIONS} was replaced; what others wrote there is kept in`);
    const [copy = ''] = await kept(workspace);
    expect(await workspace.read(`.state/quarantine/${EXECUTIONS.replace('executions.jsonl', copy)}`)).toBe(
      '{"mine":1}\n',
    );
    await run(workspace, 'nexus');
    expect(await kept(workspace)).toEqual([copy]);
  });

  it('writes nothing where a rule includes the files again', async () => {
    await using workspace = await created({ '.gitignore': '/.state/\n!/.devloop/\n' });
    await workspace.write('.git/info/exclude', '# mine\n');
    expect(await run(workspace, 'dev-loop')).toContain(
      '.devloop/workflow-state.json cannot be written: git does not ignore it',
    );
    expect((await workspace.git('status', '--porcelain', '-uall')).trim()).toBe('');
    expect(await workspace.read('.git/info/exclude')).toBe('# mine\n');
  });

  it('replaces no file that git tracks, also if it comes later in the run', async () => {
    await using workspace = await created({ '.devloop/handoff.md': 'mine' });
    expect(await run(workspace, 'dev-loop')).toContain('.devloop/handoff.md cannot be written: git tracks it');
    expect(await workspace.read('.devloop/handoff.md')).toBe('mine');
  });

  it('writes no secret, and a single backup', async () => {
    const secret = 'a-value-that-nobody-may-see';
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(
        { one: { run: writes(1), secrets: ['TOKEN'] } },
        { subject: 's', task: `use ${secret}` },
      ),
      '.gateline/memory/learned-patterns.md': `# Learned\n- ${secret}\n`,
    });
    const formats = ['nexus', 'dev-loop', 'agent-flow'];
    const options = { environment: plainEnvironment({ TOKEN: secret }) };
    const mirror = formats.flatMap((format) => ['--mirror', format]);
    await expectOk(gateline(workspace.root, ['run', '--quiet', ...mirror], options));
    const files: string[] = [];
    for (const folder of ['.claude', '.devloop'])
      for (const one of await readdir(workspace.path(folder), { recursive: true, withFileTypes: true }))
        if (one.isFile()) files.push(join(one.parentPath, one.name));
    expect(files.filter((file) => file.includes('backups'))).toHaveLength(1);
    for (const file of files)
      expect(await workspace.read(file.slice(workspace.root.length + 1)), file).not.toContain(secret);
  });
});

describe('an export', () => {
  it('goes only into a folder of its own', async () => {
    await using workspace = await created({ 'src/a.ts': '' });
    await run(workspace);
    await workspace.write('file', '');
    const to = (folder: string): ReturnType<typeof gateline> =>
      gateline(workspace.root, ['export', 'nexus', '--to', folder]);
    const refused: [string, string][] = [
      ['.', 'it is the workspace itself'],
      ['.git/x', 'git\u2019s own folder'],
      ['.STATE', '.state'],
      ['.gateline', 'the documents of Gateline'],
      ['src', 'git tracks files there'],
      ['file', 'file is not a folder'],
      ['file/below', 'file is not a folder'],
      ['two\nlines', 'git does not ignore it'],
    ];
    for (const [folder, why] of refused) {
      const { code, err } = await to(folder);
      expect(err, folder).toContain('EXPORT_REFUSED');
      expect([code, err], folder).toEqual([2, expect.stringContaining(why)]);
    }
    for (const folder of ['out[1]', 'a*b', '!not']) await expectOk(to(folder));
    expect((await workspace.git('status', '--porcelain', '-uall')).trim()).toBe('?? file');
  });
});

describe('files that are imported', () => {
  it('are not read behind a link that comes while others are read', async () => {
    await using workspace = await created();
    const [folder, outside] = [workspace.path('from'), workspace.path('outside')];
    await mkdir(join(folder, 'sub'), { recursive: true });
    await mkdir(outside);
    await writeFile(join(folder, 'sub/a.json'), Buffer.alloc(60 * 1_024 ** 2, 32));
    await writeFile(join(folder, 'sub/b.json'), 'inside');
    await writeFile(join(outside, 'b.json'), 'outside');
    const reading = readSources(folder, FORMATS['nexus']!, ['sub/a.json', 'sub/b.json']);
    await wait(1);
    await rename(join(folder, 'sub'), join(folder, 'before'));
    await symlink(outside, join(folder, 'sub'));
    const { files, problems } = await reading;
    expect(files.map(({ bytes }) => Buffer.from(bytes).toString('latin1').trim())).not.toContain('outside');
    expect(problems.map(({ file }) => file)).toContain('sub/b.json');
  });
});
