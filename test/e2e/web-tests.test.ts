import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleArguments } from '../../scripts/example.mjs';
import { choicesOf, exportsOf, statusOf, type CommandResult } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL, bySize, spread } from '../support/test-size.ts';

const PAGE = 'page/registration.html';

/** The example after a run; each test takes a copy. */
let finished: ScratchWorkspace;
let firstExports: Record<string, string | null>;

beforeAll(async () => {
  finished = await ScratchWorkspace.ofExample([['valid: 3', 'valid: 1']]);
  const result = await finished.gateline(['run', '-q', '--json']);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  firstExports = exportsOf(statusOf(result));
  expect(await finished.startedGates()).toEqual(['code', 'data', 'design', 'execute', 'learn', 'map']);
});
afterAll(() => finished[Symbol.asyncDispose]());

async function run(workspace: ScratchWorkspace, ...args: string[]): Promise<CommandResult> {
  await workspace.forgetStarts();
  return workspace.gateline(['run', '-q', ...args]);
}

describe('npm start', () => {
  it('prints a page', async () => {
    await using workspace = await finished.copy();
    const result = await workspace.gateline([...exampleArguments([]), '--force', 'learn', '--reason', 'to see it run']);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(`${result.stdout}${result.stderr}`.split('\n').length).toBeLessThan(40);
    expect(exampleArguments(['--verbose', '-s', 'x'])).toEqual(['run', '-s', 'x']);
    expect(exampleArguments(['-n'])).toEqual(['run', '--quiet', '-n']);
  });
});

describe('examples/web-tests, run again', () => {
  it('reuses everything when nothing changed, and leaves the tree clean', async () => {
    await using workspace = await finished.copy();
    const result = await run(workspace);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(new Set(Object.values(choicesOf(result)))).toEqual(new Set(['reuse']));
    expect(await workspace.starts()).toEqual([]);
    expect(await workspace.git('status', '--porcelain')).toBe('');
  });

  it.runIf(IS_FULL)('runs 2 to 5 after a label of the page was edited, and reuses 0 and 1', async () => {
    await using workspace = await finished.copy();
    await workspace.edit(PAGE, '>First Name<', '>First Name:<');
    const result = await run(workspace);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(choicesOf(result)).toEqual({
      data: 'reuse',
      design: 'reuse',
      map: 'run',
      code: 'run',
      execute: 'run',
      learn: 'run',
    });
    expect(await workspace.startedGates()).toEqual(['code', 'execute', 'learn', 'map']);
    const { stdout } = await workspace.gateline(['status', '--json']);
    const exports = exportsOf(statusOf({ ...result, stdout }));
    expect(exports['map']).not.toBe(firstExports['map']);
  });

  it.runIf(IS_FULL)('fails at 4 for a label that broke, and has nothing to run once it is put back', async () => {
    await using workspace = await finished.copy();
    await workspace.edit(PAGE, '>First Name<', '>Given Name<');
    expect(await run(workspace)).toMatchObject({ code: 1 });
    expect(await workspace.startedGates()).toEqual(['code', 'execute', 'map']);
    const shown = await workspace.gateline(['show', 'execute']);
    expect(shown.stdout).toContain('Given Name');
    expect(shown.stdout).toContain('First Name');
    await workspace.edit(PAGE, '>Given Name<', '>First Name<');
    const again = await run(workspace, '--json');
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(exportsOf(statusOf(again))).toEqual(firstExports);
    expect(await workspace.starts()).toEqual([]);
  });

  it('runs 2 and 4 after a comment of the page was edited, and reuses 3 and 5', async () => {
    await using workspace = await finished.copy();
    await workspace.edit(PAGE, '</body>', '<!-- nobody reads this -->\n</body>');
    const result = await run(workspace);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(choicesOf(result)).toEqual({
      data: 'reuse',
      design: 'reuse',
      map: 'run',
      code: 'reuse',
      execute: 'run',
      learn: 'reuse',
    });
    expect(result.stdout).toMatch(/^map: run: .*page\/registration\.html/m);
    expect(await workspace.startedGates()).toEqual(['execute', 'map']);
  });

  const others = [
    ['for another subject', ['--subject', 'another_com-registration']],
    ['with other metadata', ['--metadata', 'team=blue']],
    ["with another caller's input", ['--input', 'input.json']],
  ] as const;
  for (const [what, args] of spread(others, bySize({ sample: 1, full: 1, soak: 3 }))) {
    it.runIf(IS_FULL)(`reuses nothing ${what}`, async () => {
      await using workspace = await finished.copy();
      await workspace.write('input.json', '{"seed": 7}');
      const result = await run(workspace, ...args);
      expect(result, result.stderr).toMatchObject({ code: 0 });
      expect(new Set(Object.values(choicesOf(result)))).toEqual(new Set(['run']));
      expect(await workspace.startedGates()).toEqual(['code', 'data', 'design', 'execute', 'learn', 'map']);
    });
  }
});
