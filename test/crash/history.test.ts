import { appendFile, readFile, truncate } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryLine } from '../../src/history/entry-line.ts';
import { parseHistoryEntry } from '../../src/history/entry.ts';
import { gateline, gatelineYml, writes } from '../cli/in-process.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { killAfter } from './kill-points.ts';

const FILE = '.state/history.jsonl';

let pristine: ScratchWorkspace;
let operations: readonly string[];

beforeAll(async () => {
  const gates = { a: { run: writes(1), inputs: [] }, b: { needs: 'a', run: writes(2), inputs: [] } };
  pristine = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
  await using copy = await pristine.copy();
  ({ operations } = await killAfter(copy, Infinity, {}));
});
afterAll(() => pristine[Symbol.asyncDispose]());

/** The runs that the next command lists, and the lines of the file then. */
async function afterwards(workspace: ScratchWorkspace): Promise<{ runs: unknown[]; lines: string[] }> {
  const { code, out, err } = await gateline(workspace.root, ['history', '--json']);
  expect(code, err).toBe(0);
  const { entries, unreadable } = JSON.parse(out) as { entries: { run: number; status: string }[]; unreadable: number };
  expect(unreadable).toBe(0);
  const text = await readFile(workspace.path(FILE), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(parseHistoryEntry(JSON.parse(line)).state).toBe('present');
  return { runs: entries.map(({ run, status }) => [run, status]), lines };
}

describe('the history after a SIGKILL', () => {
  it('has one entry of the run, wherever the kill was since the last gate ended', async () => {
    const ended = operations.findLastIndex((what) => what.startsWith('record'));
    const written = operations.flatMap((what, at) => (what.startsWith('history') ? [at] : []));
    expect(written).toHaveLength(2);
    for (const k of [ended + 1, ...written.map((at) => at + 1)]) {
      await using workspace = await pristine.copy();
      const { result } = await killAfter(workspace, k, {});
      expect(result.signal).toBe('SIGKILL');
      expect(await afterwards(workspace)).toMatchObject({ runs: [[1, 'completed']], lines: [expect.any(String)] });
      expect((await afterwards(workspace)).lines).toHaveLength(1);
      const gates = JSON.parse((await gateline(workspace.root, ['history', '--gate', 'b', '--json'])).out) as object;
      expect(gates).toMatchObject({ entries: [{ run: 1, status: 'passed' }] });
    }
  });

  it('has an entry of a run that was killed while a gate ran', async () => {
    await using workspace = await pristine.copy();
    await killAfter(workspace, operations.findIndex((what) => /record .*\bb\..*started/.test(what)) + 1, {});
    expect((await afterwards(workspace)).runs).toEqual([[1, 'error']]);
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    expect((await afterwards(workspace)).runs).toEqual([[1, 'completed']]);
  });

  it('loses a half line, and nothing else, at the next write', async () => {
    await using workspace = await pristine.copy();
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    const [line] = (await afterwards(workspace)).lines;
    const path = workspace.path(FILE);
    await appendFile(path, line!.slice(0, 100));
    expect(JSON.parse((await gateline(workspace.root, ['history', '--json'])).out)).toMatchObject({ unreadable: 1 });
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    const after = await afterwards(workspace);
    expect(after.runs).toEqual([
      [2, 'completed'],
      [1, 'completed'],
    ]);
    expect(after.lines[0]).toBe(line);
    await truncate(path, 50);
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    expect((await afterwards(workspace)).runs).toEqual([[3, 'completed']]);
    expect(entryLine(JSON.parse((await afterwards(workspace)).lines[0]!)).length).toBeLessThan(500);
  });
});
