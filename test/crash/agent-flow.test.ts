import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { bySize, SEED, spread } from '../support/test-size.ts';
import { atATime, goOn, killAfter, killPoints, undisturbed } from './kill-points.ts';

const LONG = { timeout: 3_600_000 };
const GATES = ['explore', 'plan', 'implement', 'review', 'verify', 'complete'];

/** The example, whose agents take note of their starts. */
function agentFlow(): Promise<ScratchWorkspace> {
  const note = 'echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"';
  const edits = GATES.map((name) => [`run: node agents/${name}.mjs`, `run: ${note}; node agents/${name}.mjs`] as const);
  return ScratchWorkspace.ofExample(edits, join(REPOSITORY, 'examples/agent-flow'));
}

/** Gates with a claim that has no end: their agents start again. */
async function openClaims(workspace: ScratchWorkspace): Promise<string[]> {
  const records = await workspace.records();
  const place = ({ gate, runNumber, runAttempt, n }: (typeof records)[number]): string =>
    `${gate} ${runNumber}.${runAttempt}.${n}`;
  const ended = new Set(records.filter(({ kind }) => kind === 'ended').map(place));
  return records.filter((one) => one.kind === 'started' && !ended.has(place(one))).map(({ gate }) => gate);
}

describe.runIf(process.platform !== 'win32')('examples/agent-flow', () => {
  it('killed by SIGKILL in its loop goes on to the same counts, exports and files', LONG, async () => {
    await using pristine = await agentFlow();
    const expected = await undisturbed(pristine, {});
    const round = ['implementation', 'review', 'verification'];
    expect(expected.starts).toEqual(['exploration', 'planning', ...round, ...round, ...round, 'complete'].toSorted());
    await using counting = await pristine.copy();
    const { operations } = await killAfter(counting, Infinity, {});
    const sent = operations.findIndex((line) => line.includes('rework'));
    expect(sent, operations.join('\n')).toBeGreaterThan(0);
    // A tenth of a minute each. All of them are shown in process: test/engine/loops.test.ts.
    const points = spread([sent + 1, ...killPoints(operations.length)], bySize({ sample: 1, full: 5, soak: Infinity }));
    const tally: string[] = [];
    await atATime(2, points, async (k) => {
      await using workspace = await pristine.copy();
      const killed = await killAfter(workspace, k, {});
      // Reviewer and verifier side by side do not always come to the same number of operations.
      if (killed.result.signal === null) expect(killed.operations.length).toBeLessThan(k);
      else expect(killed.result.signal).toBe('SIGKILL');
      const again = await openClaims(workspace);
      const before = await workspace.startedGates();
      const after = await goOn({ workspace, done: [] }, expected, {});
      // An agent whose claim was open starts once more, if it had started at all.
      const rest = [...before, ...after];
      for (const gate of expected.starts) {
        expect(rest, `killed after operation ${k}`).toContain(gate);
        rest.splice(rest.indexOf(gate), 1);
      }
      expect(
        rest.filter((gate) => !again.includes(gate)),
        `killed after operation ${k}`,
      ).toEqual([]);
      expect(rest).toEqual([...new Set(rest)]);
      tally.push(`${k}: ${before.length} + ${after.length}`);
    });
    console.log(`examples/agent-flow: starts before and after a kill: ${tally.join(', ')}; seed ${SEED}`);
  });
});
