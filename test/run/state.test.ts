import { expect, it } from 'vitest';
import { originHow } from '../../src/run/checkpoint.ts';
import { attemptOf, isSameAttempt } from '../../src/run/entry.ts';
import { isGoodEnd, isRemembered, LogState, sendsWorkBack } from '../../src/run/state.ts';
import { createVerdict, LogBuilder } from '../support/log-builder.ts';
import { createGate, createPipeline } from '../support/pipelines.ts';

const onFail = { goto: 'code', maxIterations: 3 };
const chain = createPipeline([
  { id: 'plan', onFail: { goto: 'plan', maxIterations: 2 } },
  { id: 'code', needs: ['plan'] },
  { id: 'review', needs: ['code'], onFail },
]);

/** What a log says, without what is usual: `newest` and `ended` are the attempts of units whose output counts, and that ended. */
function textOf({ entries }: LogBuilder, subject = 'pr-42'): string {
  const state = new LogState(chain, subject, entries);
  const run = state.current;
  const names = (keys: Iterable<string>) => [...keys].map((key) => key.replace(/^(?:(?:main|other):)?pr-42\/1\//, ''));
  const facts: Readonly<Record<string, readonly string[]>> = {
    open: names(state.openAttempts.keys()),
    newest: [...state.newestOutputs].map(([unit, { n }]) => `${unit}/${n}`),
    ended: [...state.newestEnd].map(([unit, { n }]) => `${unit}/${n}`),
    pending: [...state.pendingDecisions.keys()],
    forced: [...state.forceDecisions.keys()],
    approved: [...state.approvals.values()].map(({ decision }) => decision),
    rejected: names(state.rejections.keys()),
    sentBack: [...(run?.sentBackUnits ?? [])],
    notes: [...(run?.notes ?? [])].map(([gate, { answered }]) => [gate, ...answered].join('+')),
    reworks: [...(run?.reworks ?? [])].map(([gate, { length }]) => `${gate}*${length}`),
    run: state.runNumber === 1 ? [] : [String(state.runNumber)],
    is: [run?.paused ? 'paused' : [], run?.isRolledBack ? 'rolled back' : []].flat(),
  };
  const texts = Object.entries(facts).map(([name, list]) => (list.length > 0 ? [`${name} ${list.join(' ')}`] : []));
  return texts.flat().join('; ');
}

it.each<[string, string]>([
  ['plan?', 'open plan/1'],
  ['plan? plan!', ''],
  ['plan+ plan!', 'newest plan/1; ended plan/1'],
  ['plan+ plan-', 'newest plan/2; ended plan/2'],
  ['code+ code-', 'newest code/1; ended code/2'],
  ['plan+ not-applicable:plan', 'newest plan/1; ended plan/2'],
  ['skip:plan plan+', 'newest plan/1; ended plan/1; pending plan'],
  ['skip:plan skipped:plan', 'newest plan/1; ended plan/1'],
  ['skip:plan force:plan', 'forced plan'],
  ['force:plan plan-', 'newest plan/1; ended plan/1; forced plan'],
  ['force:plan plan+', 'newest plan/1; ended plan/1'],
  ['plan+ force:plan used', 'newest plan/1; ended plan/2; forced plan'],
  ['plan~ approve', 'newest plan/1; ended plan/1; approved approve'],
  ['plan~ approve reject', 'newest plan/1; ended plan/1; rejected plan/1'],
  ['plan+ pause', 'newest plan/1; ended plan/1; is paused'],
  ['plan+ pause resume', 'newest plan/1; ended plan/1'],
  ['plan+ pause complete', 'newest plan/1; ended plan/1; run 2'],
  ['plan+ rollback', 'newest plan/1; ended plan/1; rejected plan/1; is paused rolled back'],
  ['plan+ rollback resume plan?', 'open plan/2; newest plan/1; ended plan/1; rejected plan/1'],
])('a log of %s says: %s', (script, text) => {
  expect(textOf(new LogBuilder().play(script))).toBe(text);
});

it('work that was sent back is open until somebody answers, and other work begins the loop anew', () => {
  const log = new LogBuilder().play('plan+ code+ review- rework');
  const textAfter = (script: string, rework = true) =>
    textOf(log.play(script, { started: { rework }, ended: { rework } })).replace(/^.*?(?=sent|notes|rew|rej|is|$)/, '');
  expect(textAfter('pause resume')).toBe('sentBack code review; notes code; reworks code*1');
  expect(textAfter('code+')).toBe('sentBack review; notes code+code; reworks code*1');
  expect(textAfter('review- rework')).toBe('sentBack code review; notes code; reworks code*2');
  expect(textAfter('review-')).toBe('notes code; reworks code*2');
  expect(textAfter('code+', false)).toBe('notes code');
  const rework = log.entries.findLast((entry) => entry.kind === 'decided' && entry.decision === 'rework')!;
  log.decide({ ...rework, gate: 'plan' });
  expect(textAfter('pause resume')).toBe('sentBack plan code review; notes plan; reworks plan*1');
  expect(textAfter('rollback')).toMatch(/notes plan; reworks plan\*1; is paused rolled back$/);
});

it('an output that a person supplied is used once, and all subjects share what is void', () => {
  const log = new LogBuilder().play('plan+');
  log.decide({ decision: 'adopt', unit: 'plan', output: log.ends[0]!.output });
  expect(textOf(log)).toContain('pending plan');
  log.settle('plan', 'adopted', { verdict: createVerdict('failed') });
  expect(textOf(log.play('plan? reject'))).toBe('open plan/3; newest plan/2; ended plan/2; rejected plan/2');
  expect(textOf(log, 'pr-7')).toBe('open plan/3; newest plan/2; ended plan/2; rejected plan/2');
  log.entries.splice(0, Infinity, ...log.entries.map((entry) => ({ ...entry, pipeline: 'other' })));
  expect(textOf(log)).toBe('open plan/3');
});

it('the files of a unit follow what others make of them, and what a rollback takes back', () => {
  const files = (after: string, found: string[]) => ({ x: { base: null, found, after } });
  const log = new LogBuilder().play('plan+', { ended: { files: files('1', []), part: true } });
  const change = { path: 'x', before: '1', after: '2' };
  log.play('code+', { ended: { files: files('2', ['1']), changes: [change] } });
  const state = () => new LogState(chain, 'pr-42', log.entries);
  expect([...state().files.values()]).toEqual([files('2', ['1']), files('2', ['1'])]);
  log.decide({ decision: 'rollback', to: 'code', attempts: [], changes: [{ path: 'x', before: '2', after: '1' }] });
  expect([...state().files.values()]).toEqual([files('1', ['2']), files('1', ['2'])]);
  log.settle('plan', 'used', { files: files('1', []), source: attemptOf(log.ends[0]!) });
  expect([...state().reverts.keys()]).toEqual(['x']);
  log.play('plan+', { ended: { files: files('1', []) } });
  expect(state().reverts.size).toBe(1);
  log.play('plan+', { ended: { files: files('2', []) } });
  expect(state().reverts.size).toBe(0);
});

it.each([
  ['passed', 'passed', true, false, true],
  ['partial', 'partial', true, true, true],
  ['failed', 'score', true, true, false],
  ['failed', 'check', true, true, false],
  ['failed', 'malformed', false, false, false],
] as const)(
  'an output that %s by %s is remembered: %s, sends work back: %s, can be used: %s',
  (status, kind, ...is) => {
    const verdict = createVerdict(status, { kind });
    const end = new LogBuilder().play('plan+').ends[0]!;
    const [gate, other] = [createGate({ id: 'a', onFail }), createGate({ id: 'b' })];
    expect([isRemembered(verdict, gate), sendsWorkBack(verdict, gate), isGoodEnd({ ...end, verdict })]).toEqual(is);
    expect([isRemembered(verdict, other), sendsWorkBack(verdict, other)]).toEqual([status !== 'failed', false]);
  },
);

it('two attempts are the same if all that names them is, and an output was made by an agent unless a person did', () => {
  const attempt = { subject: 'pr-42', run: 1, unit: 'plan', n: 1 };
  const others = [
    undefined,
    ...[{ subject: 'x' }, { run: 2 }, { unit: 'x' }, { n: 2 }].map((part) => ({ ...attempt, ...part })),
  ];
  expect(isSameAttempt(attempt, { ...attempt })).toBe(true);
  for (const other of others)
    expect([isSameAttempt(attempt, other), isSameAttempt(other, attempt)]).toEqual([false, false]);
  const hows = ['ran', 'used', 'adopted', 'skipped', 'lost'] as const;
  expect(hows.map(originHow)).toEqual(['ran', 'ran', 'adopted', 'skipped', 'ran']);
});
