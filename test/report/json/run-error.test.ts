import { describe, expect, it } from 'vitest';
import { errorLog } from '../../../src/cli/output/error-log.ts';
import { decideRun } from '../../../src/engine/decide.ts';
import { statusJson, type StatusJson } from '../../../src/report/json/status-json.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import type { RunState } from '../../../src/run/state/run-state.ts';
import { engineWorld } from '../../support/engine-world.ts';
import { pipelineOf } from '../../support/pipelines.ts';

const CHAIN = pipelineOf({ a: {}, b: { needs: ['a'] } });
const by = { actor: 'maria', reason: 'because' };
const assignment = { pipeline: CHAIN, subject: 'subject', metadata: {}, input: null } as const;
const json = (state: RunState): StatusJson => statusJson(state, unitsOf(CHAIN), { groups: [] });

describe('the status of a run for programs', () => {
  it('names the gate that stopped it, why and when, until the run goes on or is closed', async () => {
    let broken = true;
    const world = engineWorld(({ unit }) => (broken && unit === 'b' ? { result: { exitCode: 1 } } : { output: unit }));
    const { state } = await world.run(CHAIN);
    const ended = state.units.get('b')!.ended!;
    const reason = state.units.get('b')!.reason;
    expect(json(state).error).toEqual({
      gate: 'b',
      kind: 'agent-error',
      message: reason,
      stack: null,
      at: ended.at,
      recoverable: true,
    });
    const closed = await decideRun(world.ports(), assignment, { decision: 'close', ...by });
    expect(json(closed.journal.state()).error).toMatchObject({
      gate: null,
      message: 'closed by maria: because',
      recoverable: false,
    });
    broken = false;
    expect(json((await world.run(CHAIN)).state).error).toBeNull();
  });

  it.each([
    [
      'const x;\n\nError: first\n    at a (x.js:1:2)\nthen\nTypeError: boom\n    at b (x.js:3:4)\n    at c (x.js:5:6)\n\nNode.js v24\n',
      'TypeError: boom\n    at b (x.js:3:4)\n    at c (x.js:5:6)',
    ],
    [
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\n  File "a.py", line 1, in f\n    raise ValueError("x")\nValueError: x\nbye\n',
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\n  File "a.py", line 1, in f\n    raise ValueError("x")\nValueError: x',
    ],
    ['nothing to see\n', null],
    [`Error: x\n${'    at f (y.js:1:1)\n'.repeat(99)}`, `Error: x\n${'    at f (y.js:1:1)\n'.repeat(49)}`.trimEnd()],
  ])('has the last stack trace of its agent: %j', async (log, stack) => {
    const world = engineWorld(() => ({ result: { exitCode: 1, stderr: log } }));
    const { state } = await world.run(CHAIN);
    expect(statusJson(state, unitsOf(CHAIN), { groups: [], log }).error!.stack).toBe(stack);
    expect(await errorLog(world.ports().store, state)).toBe(log);
  });

  it('says since when it is paused, and when it was resumed', async () => {
    const world = engineWorld(({ unit }) => ({ output: unit }));
    const { state: begun } = await world.run(CHAIN, { only: new Set(['a']) });
    expect(json(begun)).toMatchObject({ pausedAt: null, resumedAt: null });
    const paused = (await decideRun(world.ports(), assignment, { decision: 'pause', ...by })).journal.state();
    expect(json(paused)).toMatchObject({ pausedAt: paused.decided.paused!.at, resumedAt: null });
    const { state } = await world.run(CHAIN, {}, { resume: { ...by, lift: true } });
    expect(json(state)).toMatchObject({ status: 'completed', pausedAt: null });
    expect(Date.parse(json(state).resumedAt!)).toBeGreaterThan(Date.parse(paused.decided.paused!.at));
  });

  it('says since when a gate waits for an approval', async () => {
    const contract = { ...CHAIN.gates[0]!.contract, score: '/score', threshold: 50, partial: 'pause' } as const;
    const world = engineWorld(() => ({ output: { score: 10 } }));
    const { state } = await world.run(pipelineOf({ a: { contract } }));
    expect(state.status).toBe('paused');
    expect(json(state)).toMatchObject({ pausedAt: state.units.get('a')!.ended!.at, error: null });
  });
});
