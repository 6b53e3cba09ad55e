import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectOk, gateline } from '../cli/in-process.ts';
import { SOUND } from '../formats/hostile-files.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, SEED, spread } from '../support/test-size.ts';
import { killPoints } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };
const MIRRORED = ['agent-flow', 'dev-loop', 'nexus'];
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'dies-at-file-operation.ts')).href;
const GATES = {
  plan: { inputs: [], run: 'echo \'{"steps": [1, 2]}\' > "$GATELINE_OUTPUT"; echo "- early" > "$GATELINE_LEARNINGS"' },
  build: { inputs: [], needs: 'plan', run: 'echo \'{"done": true}\' > "$GATELINE_OUTPUT"' },
};

/** Runs a command that is killed at a file operation. @returns the operations until then */
async function killAt(workspace: ScratchWorkspace, args: readonly string[], k: number): Promise<string[]> {
  const OPERATIONS = workspace.beside(`operations-${k}`);
  const env = { NODE_OPTIONS: `--import ${PRELOAD}`, DIE_AT_OPERATION: String(k), OPERATIONS };
  const { code, signal, stderr } = await workspace.gateline(args, { env });
  if (k === Infinity) expect({ code, signal }, stderr).toEqual({ code: 0, signal: null });
  // Two processes do not always come to the same number of operations.
  const done = (await readIfThere(OPERATIONS)).split('\n').filter((line) => line !== '');
  expect(done.length < k ? 'ended' : signal, `operation ${k}`).toBe(done.length < k ? 'ended' : 'SIGKILL');
  return done;
}

/** All files but those of git and of `.state`, with their content. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const own = paths.filter((path) => !/[/\\]\.(git|state)[/\\]/.test(path.slice(folder.length)));
  const read = own
    .toSorted()
    .map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** Nothing is there that is not there at the end, and what is there is whole. */
function expectWhole(now: Record<string, string>, end: Record<string, string>, k: number): void {
  for (const [path, text] of Object.entries(now)) {
    expect(Object.keys(end), `operation ${k}`).toContain(path.replace(/workflow-[\d-]+/, 'workflow-?'));
    if (path.endsWith('.json')) expect(() => JSON.parse(text) as unknown, `${path}, operation ${k}`).not.toThrow();
    if (path.endsWith('.jsonl')) expect(text, `${path}, operation ${k}`).toMatch(/\}\n$/);
  }
}

/** Backups are named after the time. */
const withoutTimes = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/workflow-[\d-]+/, 'workflow-?'), text]),
  );

const points = (count: number): readonly number[] =>
  spread(killPoints(count), bySize({ sample: 3, full: 12, soak: Infinity }));

describe.runIf(process.platform !== 'win32')('files of other systems', () => {
  let small: ScratchWorkspace;
  beforeAll(async () => {
    small = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify({ pipeline: 'small', gates: GATES }) });
    return () => small[Symbol.asyncDispose]();
  });

  it('are current and whole after a run that mirrors them was killed and goes on', LONG, async () => {
    const args = ['run', '-q', ...MIRRORED.flatMap((name) => ['--mirror', name])];
    await using undisturbed = await small.copy();
    const operations = await killAt(undisturbed, args, Infinity);
    const end = withoutTimes(await filesIn(undisturbed.root));
    expect(Object.keys(end)).toHaveLength(11);
    for (const k of points(operations.length)) {
      await using workspace = await small.copy();
      await killAt(workspace, args, k);
      expectWhole(await filesIn(workspace.root), end, k);
      await expectOk(gateline(workspace.root, args));
      const after = await filesIn(workspace.root);
      expect(Object.keys(withoutTimes(after)), `operation ${k}; seed ${SEED}`).toEqual(Object.keys(end));
      expect(Object.keys(after)).toHaveLength(Object.keys(end).length);
      for (const name of MIRRORED)
        expect((await expectOk(gateline(workspace.root, ['export', name]))).out).toContain(' 0 of them changed');
    }
  });

  it.each(MIRRORED)('%s: are the same after an export was killed and is repeated', LONG, async (name) => {
    await using run = await small.copy();
    await expectOk(gateline(run.root, ['run', '-q']));
    for (const more of [[], ['--to', '../elsewhere']]) {
      const args = ['export', name, ...more];
      const folder = (workspace: ScratchWorkspace) =>
        more.length > 0 ? workspace.beside('elsewhere') : workspace.root;
      await using undisturbed = await run.copy();
      const operations = await killAt(undisturbed, args, Infinity);
      const end = await filesIn(folder(undisturbed));
      for (const k of points(operations.length)) {
        await using workspace = await run.copy();
        await killAt(workspace, args, k);
        expectWhole(await filesIn(folder(workspace)), withoutTimes(end), k);
        await expectOk(gateline(workspace.root, args));
        expect(await filesIn(folder(workspace)), `operation ${k}; seed ${SEED}`).toEqual(end);
        // What a killed export wrote is its own: no copy is kept of it.
        expect(await readdir(workspace.path('.state/quarantine')).catch(() => [])).toEqual([]);
      }
    }
  });

  it.each(Object.keys(SOUND))(
    '%s: leave nothing else in the workspace when their import is killed',
    LONG,
    async (name) => {
      const prepared = async (): Promise<ScratchWorkspace> => {
        const workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
        for (const [path, text] of Object.entries(SOUND[name]!)) {
          await mkdir(dirname(workspace.beside(`old/${path}`)), { recursive: true });
          await writeFile(workspace.beside(`old/${path}`), text);
        }
        return workspace;
      };
      const args = ['import', name, '--from', '../old'];
      await using undisturbed = await prepared();
      const operations = await killAt(undisturbed, args, Infinity);
      const end = await filesIn(undisturbed.root);
      // The operations that make a file of the user's are few.
      const visible = operations.flatMap((line, index) => (/^rename .*\.tmp$/.test(line) ? [index + 1] : []));
      for (const k of spread(
        [...visible, ...killPoints(operations.length)],
        bySize({ sample: 4, full: 24, soak: 1_000 }),
      )) {
        await using workspace = await prepared();
        await killAt(workspace, args, k);
        expectWhole(await filesIn(workspace.root), end, k);
        await expectOk(gateline(workspace.root, args));
        expect(await filesIn(workspace.root), `operation ${k}; seed ${SEED}`).toEqual(end);
      }
    },
  );
});
