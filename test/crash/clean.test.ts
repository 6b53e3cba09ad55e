import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gateline, gatelineYml, type Answer } from '../cli/in-process.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL } from '../support/test-size.ts';
import { atATime, DYING, killPoints, numbersTo } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };

/** A few seconds are lost between one process and the next. */
const LATER = 40;

const CLEAN = ['clean', '--keep', '1', '--json'];

const START = 'echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"';
const GATES = {
  make: {
    run: `${START}; cp in.txt made.txt; date +%N >> made.txt; printf '{"in": "%s"}' "$(cat in.txt)" > "$GATELINE_OUTPUT"`,
    inputs: ['in.txt'],
    files: ['made.txt'],
  },
  last: { needs: 'make', run: `${START}; yes line | head -n 4000; echo 2 > "$GATELINE_OUTPUT"`, inputs: [] },
};

let pristine: ScratchWorkspace;
let operations: string[];
let whole: readonly string[];

/** A command so many days later, in this process. */
async function on(day: number, workspace: ScratchWorkspace, ...args: string[]): Promise<Answer> {
  const now = (): Date => new Date(Date.now() + day * 86_400_000);
  const answer = await gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()), now });
  expect(answer.code, answer.out + answer.err).toBe(0);
  return answer;
}

/** Removes old runs in a process that dies after so many durable operations. */
function killed(workspace: ScratchWorkspace, k: number, env: Record<string, string> = {}) {
  const about = { DIE_AFTER: String(k), OPERATIONS: workspace.beside(`operations-${k}`), DAYS_LATER: String(LATER) };
  return workspace.gateline(CLEAN, { script: DYING, env: { ...about, ...env } });
}

/** The files of the state, without the lock and what every command writes anew; an object store is packed anew. */
function filesOf(workspace: ScratchWorkspace): string[] {
  const root = workspace.path('.state');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const files = names.filter((name) => statSync(join(root, name)).isFile());
  return files.filter((name) => !/^lock\.|^git\/|^reserve$/.test(name)).toSorted();
}

async function expectSound(workspace: ScratchWorkspace, where: string): Promise<void> {
  const { findings } = JSON.parse((await on(LATER, workspace, 'doctor', '--json')).out) as {
    findings: { code: string }[];
  };
  expect(
    findings.map(({ code }) => code).filter((code) => code !== 'LOCK_STALE'),
    where,
  ).toEqual([]);
}

/** Runs the pipeline with the first input, whose first output was rejected. */
async function expectNothingRejectedUsed(workspace: ScratchWorkspace, where: string): Promise<void> {
  await workspace.write('in.txt', '1');
  await workspace.forgetStarts();
  const { out } = await on(LATER, workspace, 'run', '--json', '-q');
  const { gates } = JSON.parse(out) as { gates: { key: string; source: { run: number } | null }[] };
  const started = (await workspace.startedGates()).includes('make');
  // The second output of that input is good, as long as it is there.
  expect(started ? 'started' : gates[0]!.source?.run, where).toEqual(started ? 'started' : 2);
}

/**
 * Run 1 was rejected; run 2 does its first gate again and uses its second one; run 3 changed everything. So runs 1 and 2
 * need each other.
 */
beforeAll(async () => {
  const definition = { ...(JSON.parse(gatelineYml(GATES)) as object), subject: 'main' };
  pristine = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition), 'in.txt': '1' });
  await on(0, pristine, 'run', '-q', '--apply');
  await on(0, pristine, 'reject', 'make', '--reason', 'wrong', '--actor', 'ann');
  await on(0, pristine, 'run', '-q', '--apply');
  await pristine.write('in.txt', '3');
  await on(0, pristine, 'run', '-q', '--apply');
  await using copy = await pristine.copy();
  const env = { IMAGES: pristine.beside('images') };
  const { code, stdout, stderr } = await killed(copy, 1_000_000, env);
  expect(code, stderr).toBe(0);
  const { removed } = JSON.parse(stdout) as { removed: { run: number }[] };
  expect(removed.map(({ run }) => run)).toEqual([1, 2]);
  operations = (await readFile(copy.beside('operations-1000000'), 'utf8')).trim().split('\n');
  whole = filesOf(copy);
}, LONG.timeout);
afterAll(() => pristine[Symbol.asyncDispose]());

describe('gateline clean, killed', () => {
  it('moves records first, and outputs before decisions about them', () => {
    const at = (what: RegExp): number[] => operations.flatMap((one, index) => (what.test(one) ? [index] : []));
    const [outputs, decisions, contents] = [/^removed .*ended/, /^removed .*reject/, /^content removed/].map(at);
    expect([outputs!.length, decisions!.length]).toEqual([4, 1]);
    expect(Math.max(...outputs!)).toBeLessThan(Math.min(...decisions!));
    expect(Math.max(...at(/^removed /))).toBeLessThan(Math.min(...contents!));
    expect(at(/^objects removed/)).toHaveLength(1);
    expect(at(/^removal completed/)).toHaveLength(1);
  });

  it('at any moment leaves a sound state, and the next call removes the rest', LONG, async () => {
    const points = IS_FULL ? numbersTo(operations.length) : killPoints(operations.length, 4);
    await atATime(2, points, async (k) => {
      const where = `after ${k}: ${operations[k - 1]}`;
      await using workspace = await pristine.copy(join(pristine.beside('images'), String(k)));
      await expectSound(workspace, where);
      if (k % 2 === 0) {
        await expectNothingRejectedUsed(workspace, where);
      } else {
        await on(LATER, workspace, ...CLEAN);
        expect(filesOf(workspace), where).toEqual(whole);
        await expectSound(workspace, where);
        await on(LATER, workspace, 'diff', 'make');
        await on(LATER, workspace, 'run', '-q');
        expect((await on(LATER, workspace, 'status', '--json')).out).toContain('reused from run 3');
      }
    });
  });

  it('says the same of processes that were really killed', LONG, async () => {
    const contents = operations.findIndex((what) => what.startsWith('content removed')) + 2;
    // Both forms of a content are there then.
    const compressed = operations.findIndex((what) => what.startsWith('content compressed')) + 1;
    expect(compressed).toBeGreaterThan(0);
    for (const k of [3, contents, compressed]) {
      await using workspace = await pristine.copy();
      expect((await killed(workspace, k)).signal).toBe('SIGKILL');
      await expectSound(workspace, `killed after ${k}`);
      await on(LATER, workspace, ...CLEAN);
      expect(filesOf(workspace)).toEqual(whole);
    }
  });
});
