import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatusJson } from '../../src/report/json/status-json.ts';
import { RECORD_FORMAT } from '../../src/run/records/record.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import folder from '../fixtures/records-1/folder.json' with { type: 'json' };
import { gatelineIn as here } from './in-process.ts';

const RECORD = /^runs\/.*\.json$/;

/** The workspace with the state that was left by a version whose records have format 1. */
async function oldWorkspace(edit: (path: string, text: string) => string = (_, text) => text) {
  const workspace = await ScratchWorkspace.create(folder.files);
  for (const [path, text] of Object.entries(folder.state)) {
    const file = join(workspace.root, '.state', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, edit(path, text));
  }
  return workspace;
}

async function statusOf(workspace: ScratchWorkspace, ...args: string[]) {
  const { out, err } = await here(workspace, 'status', '--json', ...args);
  expect(err).toBe('');
  const { gates, ...status } = JSON.parse(out) as StatusJson;
  const units = gates.map(({ key, status: is, reused, verdict }) => [key, is, reused, verdict?.kind ?? null]);
  return { ...status, units };
}

describe.runIf(process.platform !== 'win32')('records of format 1', () => {
  it('are what the fixture holds', () => {
    const formats = Object.entries(folder.state)
      .filter(([path]) => RECORD.test(path))
      .map(([, text]) => (JSON.parse(text) as { format: string }).format);
    expect(formats).toHaveLength(19);
    expect(new Set(formats)).toEqual(new Set(['gateline-record/1']));
  });

  it('are shown as the runs that they are', async () => {
    await using workspace = await oldWorkspace();
    expect(await statusOf(workspace, '--run', '1')).toMatchObject({
      status: 'completed',
      problems: [],
      units: [
        ['design', 'passed', false, 'passed'],
        ['check', 'passed', false, 'passed'],
        ['e2e/chrome', 'passed', false, 'passed'],
        ['e2e/firefox', 'passed', false, 'passed'],
        ['lint', 'skipped', false, null],
      ],
    });
    expect(await statusOf(workspace)).toMatchObject({
      run: 2,
      status: 'error',
      problems: [],
      units: [
        ['design', 'passed', true, 'passed'],
        ['check', 'failed', false, 'check'],
        ['e2e/chrome', 'passed', true, 'passed'],
        ['e2e/firefox', 'passed', true, 'passed'],
        ['lint', 'blocked', false, null],
      ],
    });
    const table = (await here(workspace, 'status')).out;
    expect(table).toContain(
      'Run 2 of old for main: error. 3 of 5 gates and legs done (3 reused); check failed (check)',
    );
    expect(table).not.toContain('Mind:');
  });

  it('are shown with all their parts', async () => {
    await using workspace = await oldWorkspace();
    const show = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await here(workspace, 'show', ...args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return out;
    };
    expect(await show('check')).toContain(`error at /text: output.text == 'good': output.text is "bad"`);
    expect(JSON.parse(await show('check', '--json'))).toMatchObject({ verdict: { kind: 'check', message: null } });
    expect(JSON.parse(await show('design', 'output'))).toEqual({ score: 95, text: 'done' });
    expect(JSON.parse(await show('design', 'exports'))).toEqual({ text: 'done' });
    expect(await show('check', 'stdout')).toBe('says bad\n');
    expect(JSON.parse(await show('e2e/chrome', 'request'))).toMatchObject({ matrix: { browser: 'chrome' } });
    expect(JSON.parse(await show('check', 'contract'))).toMatchObject({ checks: ["output.text == 'good'"] });
    expect(JSON.parse(await show('lint', 'record'))).toMatchObject([{ kind: 'started' }, { kind: 'ended' }]);
    expect((await here(workspace, 'diff')).out).toContain('+++ b/report-firefox.txt');
  });

  it('are continued by records of the present format', async () => {
    await using workspace = await oldWorkspace();
    await workspace.write('src/check.txt', 'good\n');
    const { code, out, err } = await here(workspace, 'run');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toContain('old for main: continuing run 2');
    expect(await statusOf(workspace)).toMatchObject({
      run: 2,
      problems: [],
      units: [
        ['design', 'passed', expect.any(Boolean), 'passed'],
        ['check', 'passed', expect.any(Boolean), 'passed'],
        ['e2e/chrome', 'passed', expect.any(Boolean), 'passed'],
        ['e2e/firefox', 'passed', expect.any(Boolean), 'passed'],
        ['lint', 'failed', false, 'agent-error'],
      ],
    });
    const written = (await here(workspace, 'show', 'lint', 'record')).out;
    expect(written).toContain(RECORD_FORMAT);
    const skip = ['lint', '--reason', 'still broken', '--actor', 'ann'];
    expect((await here(workspace, 'decide', 'skip', ...skip)).code).toBe(0);
    expect(await statusOf(workspace)).toMatchObject({ run: 2, status: 'completed', problems: [] });
  });

  it('are kept as they are', async () => {
    await using workspace = await oldWorkspace();
    await here(workspace, 'run');
    for (const [path, text] of Object.entries(folder.state).filter(([path]) => RECORD.test(path)))
      expect(await readFile(join(workspace.root, '.state', path), 'utf8')).toBe(text);
  });
});

describe.runIf(process.platform !== 'win32')('records of a later format', () => {
  const problem = (file: string, gate: string) => ({
    code: 'UNREADABLE_RECORD',
    gate,
    message: `.state/runs/main/${file}: written in the format gateline-record/3; this version of Gateline supports gateline-record/1 and gateline-record/2 (UNKNOWN_VERSION)`,
  });
  const laterFormat = (file: string) => (path: string, text: string) =>
    path === `runs/main/${file}` ? text.replace('gateline-record/1', 'gateline-record/3') : text;

  it('are named, and never taken for a result', async () => {
    const file = '2/old.design._.2.1.1.ended.json';
    await using workspace = await oldWorkspace(laterFormat(file));
    const { problems, units } = await statusOf(workspace);
    expect(problems).toEqual([problem(file, 'design')]);
    expect(units[0]).toEqual(['design', 'ready', false, null]);
    const { out, err } = await here(workspace, 'run');
    expect(err).toBe('');
    expect(out).toContain(`Warning: ${problem(file, '').message}`);
  });

  it('are never taken for a decision', async () => {
    const file = '1/old.lint._.1.2.0.decided.skip.json';
    await using workspace = await oldWorkspace(laterFormat(file));
    const { status, problems, units } = await statusOf(workspace, '--run', '1');
    expect({ status, problems }).toEqual({ status: 'error', problems: [problem(file, 'lint')] });
    expect(units.at(-1)).toEqual(['lint', 'ready', false, null]);
  });
});
