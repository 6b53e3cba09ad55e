import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { damaged, SOUND } from '../formats/hostile-files.ts';
import { DYING } from '../crash/kill-points.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { numbersFrom, SEED, spread } from '../support/samples.ts';
import { expectOk, gateline } from './in-process.ts';

const CASES = 8;

/** The files of a format in a folder beside the workspace. */
async function filesBeside(
  workspace: ScratchWorkspace,
  name: string,
  change?: (text: string) => Buffer,
): Promise<string> {
  const folder = workspace.beside('old');
  const files = Object.entries(SOUND[name]!);
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path === files[0]![0] && change !== undefined ? change(text) : text);
  }
  return folder;
}

/** What an import leaves, without times. */
async function left(workspace: ScratchWorkspace): Promise<unknown> {
  const { out } = await gateline(workspace.root, ['status', '--json']);
  const history = JSON.parse((await gateline(workspace.root, ['history', '--json'])).out) as { entries: object[] };
  const { gates } = JSON.parse(out) as { gates: { key: string; status: string; how: string }[] };
  return {
    gates: gates.map(({ key, status }) => `${key} ${status}`),
    files: await workspace.files(),
    history: history.entries.length,
  };
}

describe.each(Object.keys(SOUND))('files of %s', (name) => {
  it('that are damaged are imported whole or not at all', async () => {
    const next = numbersFrom(SEED);
    let workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    try {
      const before = await workspace.files();
      let refused = 0;
      for (let n = 0; n < CASES; n += 1) {
        const from = await filesBeside(workspace, name, (text) => damaged(text, next));
        const { code, err } = await gateline(workspace.root, ['import', name, '--from', from]);
        expect([0, 2], err).toContain(code);
        if (code === 2) {
          refused += 1;
          expect(err).toContain('IMPORT_REFUSED');
          expect(await workspace.files()).toEqual(before);
          expect(await readIfThere(workspace.path('.state/history.jsonl'))).toBe('');
          continue;
        }
        await workspace[Symbol.asyncDispose]();
        workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
      }
      expect(refused).toBeGreaterThan(CASES / 5);
    } finally {
      await workspace[Symbol.asyncDispose]();
    }
  });

  it('are imported whole after a kill at any moment', async () => {
    const args = async (workspace: ScratchWorkspace): Promise<string[]> => {
      return ['import', name, '--from', await filesBeside(workspace, name)];
    };
    await using undisturbed = await ScratchWorkspace.create({ 'README.md': 'x' });
    const operations = undisturbed.beside('operations');
    const env = { OPERATIONS: operations };
    const whole = await undisturbed.gateline(await args(undisturbed), { script: DYING, env });
    expect(whole, whole.stderr).toMatchObject({ code: 0 });
    const count = (await readIfThere(operations)).split('\n').length - 1;
    expect(count).toBeGreaterThan(5);
    const expected = await left(undisturbed);
    const moments = Array.from({ length: count }, (_, index) => index + 1);
    for (const k of spread(moments, 3)) {
      await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
      const again = await args(workspace);
      const killed = await workspace.gateline(again, { script: DYING, env: { DIE_AFTER: String(k) } });
      expect(killed.signal, `${k}`).toBe('SIGKILL');
      await expectOk(gateline(workspace.root, again));
      expect(await left(workspace), `${k}`).toEqual(expected);
    }
  });
});
