import { expect, it } from 'vitest';
import { attemptOf } from '../../src/run/entry.ts';
import { figuresOf, sumOf, totalOf } from '../../src/run/figures.ts';
import { endsOf } from '../../src/run/repeat.ts';
import { LogState } from '../../src/run/state.ts';
import { describeUnits } from '../../src/run/unit-state.ts';
import { LogBuilder, type ScriptDetails } from '../support/log-builder.ts';
import { createPipeline } from '../support/pipelines.ts';

const pipeline = createPipeline([{ id: 'plan' }, { id: 'code', needs: ['plan'] }, { id: 'test', needs: ['code'] }]);
const spent = (ms: number, costUsd?: number, tokens?: number): ScriptDetails => ({
  ended: { ms, metrics: { costUsd, inputTokens: tokens, outputTokens: tokens } },
});
const stateOf = (log: LogBuilder) => new LogState(pipeline, 'pr-42', log.entries);

function figuresOfLog(log: LogBuilder) {
  const state = stateOf(log);
  return figuresOf(state, [...describeUnits(pipeline, state, state.current, () => true).values()]);
}

it('a run sums up what its agents took, also those that failed', () => {
  const log = new LogBuilder()
    .play('plan-', spent(1_000, 0.1, 5))
    .play('plan+', spent(2_000, 0.2))
    .play('code?');
  expect(figuresOfLog(log)).toEqual({
    ...{ units: 3, done: 1, ran: 1, used: 0 },
    ...{ ms: 3_000, costUsd: 0.3, tokens: 10, savedMs: 0, savedUsd: undefined },
  });
});

it('an output of an earlier run saves what it took to make, with the attempts that were judged with it', () => {
  const log = new LogBuilder();
  log.play('plan+', spent(7_000, 5)).play('plan+', { ended: { ...spent(1_000, 0.25).ended, part: true } });
  log.play('plan+', spent(2_000, 0.5)).play('code+', spent(4_000)).play('close');
  const [, , plan, code] = log.ends;
  log.use('plan', attemptOf(plan!));
  log.use('code', attemptOf(code!));
  expect(figuresOfLog(log)).toMatchObject({ done: 2, ran: 0, used: 2, ms: 0, savedMs: 7_000, savedUsd: 0.75 });
  expect(
    totalOf(
      endsOf(
        stateOf(log).runs.find(({ run }) => run === 1),
        'plan',
      ),
      plan!,
    ),
  ).toEqual({
    ms: 3_000,
    costUsd: 0.75,
  });
  expect(totalOf([], code!)).toEqual({ ms: 4_000 });
});

it('an output that is used again in the run that made it saves nothing', () => {
  const log = new LogBuilder().play('plan+', spent(2_000, 0.5)).play('used');
  expect(figuresOfLog(log)).toMatchObject({ done: 1, ran: 1, used: 0, savedMs: 0, savedUsd: undefined });
});

it('an output that does not count saves nothing', () => {
  const log = new LogBuilder().play('plan+', spent(2_000, 0.5)).play('close');
  log.use('plan', attemptOf(log.ends[0]!));
  log.play('reject');
  expect(figuresOfLog(log)).toMatchObject({ done: 0, used: 0, savedMs: 0 });
});

it('amounts add up to millionths, and unknown ones are left out', () => {
  expect([sumOf([0.1, 0.2, undefined]), sumOf([]), sumOf([undefined]), sumOf([0])]).toEqual([
    0.3,
    undefined,
    undefined,
    0,
  ]);
  expect(sumOf([1e-7, 0.000_000_6])).toBe(0.000_001);
});
