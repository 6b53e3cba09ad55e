import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

/** Every file below `.state/` but locks, with its text. */
async function stateIn({ root }: ScratchWorkspace): Promise<ReadonlyMap<string, string>> {
  const files = await readdir(join(root, '.state'), { recursive: true, withFileTypes: true });
  const paths = files.filter((one) => one.isFile() && !one.name.startsWith('lock.'));
  const texts = paths.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path, await readFile(path, 'latin1')] as const;
  });
  return new Map((await Promise.all(texts)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
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
    expect((await here(workspace, 'status')).out).toContain(`Warning: ${problem(file, '').message}`);
    expect(await here(workspace, 'show', 'check', 'stdout')).toEqual({ code: 0, out: 'says bad\n', err: '' });
    expect((await here(workspace, 'diff')).code).toBe(0);
  });

  it.each([
    ['run'],
    ['run', '--new'],
    ['run', '--dry-run'],
    ['run', '--json'],
    ['plan'],
    ['resume'],
    ['resume', '--from', 'design'],
    ['fork', '1', '--new', '--reason', 'again'],
    ['fork', 'main#1', '--subject', 'other', '--reason', 'again'],
    ['skip', 'lint', '--reason', 'broken'],
    ['approve', 'design', '--reason', 'fine'],
    ['adopt', 'check', '--output', 'answer.json', '--reason', 'by hand'],
    ['pause', '--reason', 'wait'],
    ['close', '--reason', 'enough'],
    ['rollback', '--all'],
    ['apply'],
    ['apply', '--dry-run'],
    ['begin', 'check'],
  ])('are refused by everything that starts or writes: %s', async (...args: string[]) => {
    const file = '2/old.design._.2.1.1.ended.json';
    await using workspace = await oldWorkspace(laterFormat(file));
    await workspace.write('answer.json', '{"text":"good"}');
    const before = await stateIn(workspace);
    const { code, out, err } = await here(workspace, ...args);
    const what = `.state/runs/main/${file}: written in the format gateline-record/3`;
    expect({ code, text: err + out }).toEqual({ code: 2, text: expect.stringContaining(what) });
    expect(err + out).toContain('RECORD_TOO_NEW');
    expect(err + out).toContain('Update Gateline');
    // Neither a claim, without which no agent starts, nor anything else.
    expect(await stateIn(workspace)).toEqual(before);
  });

  it('are refused for a gate that was begun before', async () => {
    await using workspace = await oldWorkspace();
    await workspace.write('src/design.txt', 'other\n');
    const begun = await here(workspace, 'begin', 'design', '--json');
    const { token } = JSON.parse(begun.out) as { token: string };
    const file = '2/old.design._.2.1.1.ended.json';
    const text = laterFormat(file)(`runs/main/${file}`, folder.state[`runs/main/${file}`]);
    await workspace.write(`.state/runs/main/${file}`, text);
    const before = await stateIn(workspace);
    expect(await here(workspace, 'complete', '--token', token)).toMatchObject({
      code: 2,
      err: expect.stringContaining('RECORD_TOO_NEW'),
    });
    expect(await stateIn(workspace)).toEqual(before);
  });

  it('of one subject are no matter of another', async () => {
    await using workspace = await oldWorkspace(laterFormat('2/old.design._.2.1.1.ended.json'));
    const { code, err } = await here(workspace, 'run', '--subject', 'other');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect((await statusOf(workspace, '--subject', 'other')).units[0]).toEqual(['design', 'passed', false, 'passed']);
  });

  it('are never taken for a decision', async () => {
    const file = '1/old.lint._.1.2.0.decided.skip.json';
    await using workspace = await oldWorkspace(laterFormat(file));
    const { status, problems, units } = await statusOf(workspace, '--run', '1');
    expect({ status, problems }).toEqual({ status: 'error', problems: [problem(file, 'lint')] });
    expect(units.at(-1)).toEqual(['lint', 'ready', false, null]);
  });
});
