import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gateline, gatelineIn, gatelineYml, writes } from '../cli/in-process.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { atATime, DYING, imagesOf, killAfter, killPoints, type Images } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };

/** What a kill leaves, and nothing else. */
const LEFT = ['HISTORY_OPEN', 'LOCK_STALE', 'STATE_FILE_OUTDATED', 'WORK_TREE_LEFT'];

let pristine: ScratchWorkspace;
let images: Images;

beforeAll(async () => {
  const a = { run: `echo more > made.txt; ${writes(1)}`, files: ['made.txt'], inputs: [] };
  const gates = { a, b: { needs: 'a', run: writes(2), inputs: [] } };
  pristine = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
  images = await imagesOf(pristine, {});
}, LONG.timeout);
afterAll(() => pristine[Symbol.asyncDispose]());

interface Report {
  readonly sound: boolean;
  readonly findings: readonly { code: string }[];
}

/** The codes that are found, each once, in alphabetical order. */
async function codesIn(workspace: ScratchWorkspace, ...more: string[]): Promise<{ sound: boolean; codes: string[] }> {
  const { out } = await gatelineIn(workspace, 'doctor', '--json', ...more);
  const { sound, findings } = JSON.parse(out) as Report;
  return { sound, codes: [...new Set(findings.map(({ code }) => code))].toSorted() };
}

async function expectSound(workspace: ScratchWorkspace, where: string): Promise<string[]> {
  const { sound, codes } = await codesIn(workspace);
  expect([sound, codes.filter((code) => !LEFT.includes(code))], where).toEqual([true, []]);
  return codes;
}

describe('the doctor after a SIGKILL', () => {
  it('names only what a kill leaves, wherever it was, and nothing after the next run', LONG, async () => {
    const seen = new Set<string>();
    await atATime(2, killPoints(images.count, 4), async (k) => {
      await using workspace = await images.open(k);
      for (const code of await expectSound(workspace, `image ${k}`)) seen.add(code);
      const repaired = await codesIn(workspace, '--repair');
      expect([repaired.sound, repaired.codes.includes('STATE_FILE_OUTDATED')], `image ${k}`).toEqual([true, false]);
      expect((await gatelineIn(workspace, 'run', '-q')).code).toBe(0);
      expect(await codesIn(workspace), `image ${k}`).toEqual({ sound: true, codes: [] });
    });
    expect([...seen]).toEqual(expect.arrayContaining(['HISTORY_OPEN', 'LOCK_STALE']));
  });

  it('says the same of a process that was really killed', LONG, async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: [] } }),
    });
    const { result } = await killAfter(workspace, Math.floor(images.count / 3), {});
    expect(result.signal).toBe('SIGKILL');
    expect(await expectSound(workspace, 'killed')).toContain('LOCK_STALE');
  });

  it('names an apply and a rollback that were interrupted', LONG, async () => {
    await using workspace = await images.open(images.count);
    const die = async (args: string[], what: RegExp): Promise<void> => {
      for (let k = 1; k < 40; k += 1) {
        const env = { DIE_AFTER: String(k), OPERATIONS: workspace.beside(`die-${args[0]}-${k}`) };
        await workspace.gateline(args, { script: DYING, env });
        if (what.test((await codesIn(workspace)).codes.join())) return;
      }
      expect.unreachable(`no kill of ${args[0]} leaves ${String(what)}`);
    };
    await die(['apply'], /APPLY_UNFINISHED/);
    expect((await gatelineIn(workspace, 'apply')).code).toBe(0);
    expect(await codesIn(workspace)).toEqual({ sound: true, codes: [] });
    await die(['rollback', '--all'], /ROLLBACK_UNFINISHED/);
    const { out } = await gateline(workspace.root, ['doctor']);
    expect(out).toContain('completes it.');
    expect((await gatelineIn(workspace, 'rollback', '--all')).code).toBe(0);
    expect((await codesIn(workspace)).codes).toEqual([]);
  });
});
