import { describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { attemptOf } from '../../src/run/entry.ts';
import { createRunView } from '../../src/report/run-view.ts';
import { renderStatus } from '../../src/report/terminal.ts';
import type { RunView } from '../../src/report/view.ts';
import { createVerdict, LogBuilder } from '../support/log-builder.ts';
import { createLegs, createPipeline } from '../support/pipelines.ts';

const onFail = { goto: 'code', maxIterations: 3 };
const chain = createPipeline([
  { id: 'plan' },
  { id: 'code', needs: ['plan'], files: ['src/**'] },
  { id: 'review', needs: ['code'], contract: { score: '/score' }, onFail },
]);

function viewOf(pipeline: Pipeline, log: LogBuilder, more: { run?: number; isAlive?: boolean } = {}): RunView {
  const { isAlive = true, run } = more;
  const { subject, entries } = log;
  return createRunView({ pipeline, subject, metadata: {}, entries, run, isAlive: () => isAlive, history: [] });
}

/** `status of each unit | status of the run | command`; `!`: not done. */
function summaryOf({ units, status, next }: RunView): string {
  return `${units.map((unit) => `${unit.status}${unit.done ? '' : '!'}`).join(' ')} | ${status} | ${next.command ?? ''}`;
}

describe('status, run status and next step, by the log', () => {
  it.each([
    ['plan?', 'running! pending! pending! | executing | ', 'an agent works on it since'],
    ['plan*', 'running! pending! pending! | executing | gateline complete plan', 'between begin and complete'],
    ['plan+', 'passed pending! pending! | executing | gateline run', 'it waits for code'],
    ['plan-', 'failed! blocked! blocked! | error | gateline run', 'plan failed'],
    ['plan- plan+', 'passed pending! pending! | executing | gateline run', 'it has not run yet'],
    ['plan? plan!', 'lost! pending! pending! | error | gateline run', 'nobody ended its attempt'],
    ['plan+ code+ review~', 'passed passed partial! | error | gateline run --force review', 'partial: '],
    ['plan+ code+ review~ approve', 'passed passed passed | executing | gateline run', 'octocat approved it: looks'],
    ['plan+ reject', 'failed! blocked! blocked! | error | gateline run', 'octocat rejected the output: looks fine'],
    ['plan+ reject plan+', 'passed pending! pending! | executing | gateline run', 'the output meets the contract'],
    ['plan+ force:plan', 'pending! pending! pending! | executing | gateline run', 'octocat asked for a new attempt'],
    ['force:plan plan-', 'failed! blocked! blocked! | error | gateline run', 'check: '],
    ['plan- skip:plan', 'pending! pending! pending! | executing | gateline run', 'octocat skips it: looks fine'],
    [
      'skipped:plan not-applicable:code',
      'skipped not-applicable pending! | executing | gateline run',
      'skipped it: not today',
    ],
    ['adopted:plan', 'passed pending! pending! | executing | gateline run', 'octocat supplied the output: not today'],
    ['plan+ code+ review- rework', 'passed pending! pending! | executing | gateline run', 'sent back by review'],
    ['plan+ code+ review- rework code-', 'passed failed! blocked! | error | gateline run', 'code failed'],
    ['plan+ code+ review- rework code+', 'passed passed pending! | executing | gateline run', 'the work was sent back'],
    ['plan+ code+ review- rework review?', 'passed passed running! | executing | ', 'meets the contract'],
    ['plan- pause', 'failed! blocked! blocked! | paused | gateline resume', ''],
    ['plan- pause resume', 'failed! blocked! blocked! | error | gateline run', ''],
    [
      'plan+ code+ rollback',
      'passed pending! pending! | rollback | gateline resume',
      'octocat took its work back: looks',
    ],
    ['plan+ code+ complete', 'passed passed pending! | completed | ', ''],
    ['plan+ close', 'passed pending! pending! | closed | gateline run', ''],
    ['plan+ close pause', 'pending! pending! pending! | paused | gateline resume', ''],
  ])('%s', (script, summary, reason) => {
    const view = viewOf(chain, new LogBuilder().play(script));
    expect(summaryOf(view)).toBe(summary);
    expect(view.units.map((unit) => unit.reason).join('\n')).toContain(reason);
  });

  it('without a run, with a dead process, with changes to look at, with a rejection after the end', () => {
    const nothing = new LogBuilder();
    expect(summaryOf(viewOf(chain, nothing))).toBe('pending! pending! pending! | initializing | gateline run');
    expect(renderStatus(viewOf(chain, nothing))).toMatch(
      /^#  gate .*\n[^]*There is no run of main for pr-42 yet\.\nNext: /,
    );
    const dead = viewOf(chain, new LogBuilder().play('plan?'), { isAlive: false });
    expect(summaryOf(dead)).toBe('lost! pending! pending! | error | gateline run');
    const ended = { changes: [{ path: 'src/a.ts', before: null, after: '100644 a' }] };
    const changed = viewOf(chain, new LogBuilder().play('code+', { ended }).play('complete'));
    expect(changed.next.command).toBe('gateline diff');
    const rejected = new LogBuilder().play('plan+ code+ review+ complete').play('reject', { decided: { run: 1 } });
    expect(summaryOf(viewOf(chain, rejected))).toBe('passed passed failed! | error | gateline run');
    // What came back with a used output is nothing that this run has changed.
    const used = viewOf(chain, new LogBuilder().play('code+', { ended: { ...ended, how: 'used' } }).play('complete'));
    expect(used.next).toEqual({ text: 'All gates are done' });
    expect(renderStatus(changed, { ran: ['code'] })).toContain('\nUndo it with `gateline rollback --all`.\nNext: See');
    // What an earlier attempt was is no news of a gate that is open again.
    const again = renderStatus(viewOf(chain, new LogBuilder().play('plan+ force:plan')));
    expect(again).toMatch(/^0 +plan +pending +13 s +octocat asked/m);
  });

  it('waits for a person, then for an agent that works by itself', () => {
    const pipeline = createPipeline([
      { id: 'a', approval: 'required' },
      { id: 'b', contract: { partial: 'pause' } },
      { id: 'c', run: undefined, needs: ['a', 'b'] },
    ]);
    const log = new LogBuilder().play('a+ b~');
    expect(summaryOf(viewOf(pipeline, log))).toBe(
      'paused! paused! pending! | paused | gateline approve a --reason WHY',
    );
    log.play('approve').play('approve', { about: log.ends[0] });
    expect(summaryOf(viewOf(pipeline, log))).toBe('passed passed pending! | executing | gateline begin c');
  });
});

describe('commands end with the subject and the definition that the caller named', () => {
  const target = " -s 'pr 42' -f two.yml";
  const pipeline = createPipeline([
    { id: 'a', files: ['**'] },
    { id: 'b', approval: 'required', needs: ['a'] },
  ]);
  const change = { changes: [{ path: 'a.ts', before: null, after: '100644 a' }] };
  it.each([
    ['a*', 'gateline complete a', undefined],
    ['a-', 'gateline run', 'gateline logs a'],
    ['a~', 'gateline run --force a', 'gateline approve a --reason WHY'],
    ['a? a!', 'gateline run', undefined],
    ['a+ b+', 'gateline approve b --reason WHY', 'gateline show b output'],
    ['a+ pause', 'gateline resume', undefined],
    ['a+ complete', 'gateline diff', undefined],
    ['a+ close', 'gateline run', undefined],
    ['skip:a', 'gateline run', undefined],
  ])('%s', (script, command, inText) => {
    const failed = createVerdict('failed', { kind: 'agent-error' });
    const log = new LogBuilder().play(script, { ended: { ...change, ...(script === 'a-' && { verdict: failed }) } });
    const { subject, entries } = log;
    const input = { pipeline, subject, metadata: {}, target, entries, isAlive: () => true, history: [] };
    const view = createRunView(input);
    expect(view.next.command).toBe(command + target);
    if (inText !== undefined) expect(view.next.text).toContain(`\`${inText}${target}\``);
    const apply = createRunView({ ...input, clone: { run: view.run, path: 'clone' } });
    const isolated = command.replace('diff', 'apply').replace(/^gateline (run|resume)/, '$& --isolated');
    expect(apply.next.command).toBe(isolated + target);
    const shown = [...renderStatus(view, { ran: ['a'] }).matchAll(/`(gateline [^`]*)`/g)].map(([, text]) => text);
    expect(shown).toEqual(shown.map(() => expect.stringMatching(/ -s 'pr 42' -f two\.yml$/)));
  });
});

describe('legs', () => {
  const legs = { maxParallel: undefined, failFast: true };
  const pipeline = createPipeline([
    { id: 'list' },
    { id: 'test', needs: ['list'], matrix: { ...legs, from: { gate: 'list', pointer: '/items', variable: 'item' } } },
    { id: 'build', matrix: { ...legs, legs: createLegs('linux', 'mac', 'win') } },
    { id: 'report', needs: ['test'] },
  ]);
  const keysOf = (log: LogBuilder) => viewOf(pipeline, log).units.map(({ key, status }) => `${key} ${status}`);

  it('come from the definition, from the output that lists them, or from the log', () => {
    const build = ['build/linux pending', 'build/mac pending', 'build/win pending'];
    expect(keysOf(new LogBuilder())).toEqual(['list pending', 'test pending', ...build, 'report pending']);
    const log = new LogBuilder().play('list+ test/a+');
    log.start('test/$(rm -rf)');
    expect(keysOf(log)).toEqual(['list passed', 'test/a passed', ...build, 'report pending']);
    const items = ['x', 'y'].map((id) => ({ id, matrix: { item: id } }));
    const listed = new LogBuilder().play('list+', { ended: { legs: { test: items } } });
    expect(keysOf(listed).slice(1, 3)).toEqual(['test/x pending', 'test/y pending']);
    const empty = new LogBuilder().play('list+', { ended: { legs: { test: [] } } });
    expect(keysOf(empty)).toEqual(['list passed', ...build, 'report pending']);
    expect(keysOf(new LogBuilder().play('skipped:list'))[1]).toBe('build/linux pending');
  });

  it('do not start after a leg that failed, with fail-fast', () => {
    const keys = keysOf(new LogBuilder().play('build/linux- build/mac+'));
    expect(keys.slice(2, 5)).toEqual(['build/linux failed', 'build/mac passed', 'build/win blocked']);
  });
});

describe('figures', () => {
  it('count work of this run, and what outputs of earlier runs and other subjects saved', () => {
    const log = new LogBuilder();
    const metrics = { costUsd: 1.8, inputTokens: 5, outputTokens: 5 };
    log.subject = 'pr-41';
    log.play('plan+', { ended: { ms: 700_000, metrics } });
    log.subject = 'pr-42';
    log.play('code+', { ended: { ms: 20_000, metrics: { costUsd: 0.04 } } }).play('close');
    for (const end of log.ends) log.use(end.unit, attemptOf(end));
    log.play('review-', { ended: { verdict: createVerdict('failed'), metrics: { costUsd: 0.1 } } });
    log.play('review+', { ended: { metrics: { costUsd: 0.2, inputTokens: 100 } } });
    const counts = { units: 3, done: 3, ran: 1, used: 2, ms: 25_000, costUsd: 0.3, tokens: 100 };
    expect(viewOf(chain, log).figures).toEqual({ ...counts, savedMs: 720_000, savedUsd: 1.84 });
    expect(viewOf(chain, log).units[0]!.reason).toBe('output of attempt 1 of run 1 of pr-41');
  });
});

describe('an earlier run', () => {
  it('is shown as at its end, whatever was decided later', () => {
    const log = new LogBuilder().play('plan+ close reject');
    expect(summaryOf(viewOf(chain, log, { run: 1 }))).toBe('passed pending! pending! | closed | gateline status');
    expect(() => viewOf(chain, log, { run: 7 })).toThrow('pr-42 has no run 7 of main');
  });
});
