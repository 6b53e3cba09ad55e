import fc from 'fast-check';
import { VERDICT_KINDS } from '../../src/verdict/verdict.ts';
import { LogBuilder } from '../support/log-builder.ts';
import { createLegs, createPipeline } from '../support/pipelines.ts';
import { ALL_HOSTILE } from '../untrusted/hostile.ts';

const matrix = { maxParallel: 2, failFast: true };
/** Approvals, legs from a list and from data, a group, an agent that works by itself, a loop. */
export const pipeline = createPipeline(
  [
    { id: 'plan' },
    { id: 'code', needs: ['plan'], files: ['src/**'], approval: 'required', memory: ['handoff'] },
    { id: 'test', needs: ['code'], matrix: { ...matrix, legs: createLegs('a', 'b') }, contract: { partial: 'pause' } },
    { id: 'each', needs: ['plan'], matrix: { ...matrix, from: { gate: 'plan', pointer: '', variable: 'x' } } },
    { id: 'review', needs: ['test', 'each'], run: undefined, onFail: { goto: 'code', maxIterations: 3 } },
  ],
  { groups: [{ id: 'checks', gates: ['test', 'review'], mode: 'parallel' }] },
);
const UNITS = ['plan', 'plan', 'code', 'code', 'test/a', 'test/b', 'each/1', 'review', 'gone'];

/** Texts of agents and people. */
export const text = fc.oneof(
  fc.constantFrom(...ALL_HOSTILE),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('漢'.repeat(300)),
);
const name = text.map((value) => value.slice(0, 80) || 'x');
const issue = fc.record({
  severity: fc.constantFrom('error' as const, 'warning' as const),
  message: text,
  pointer: text,
  rule: text,
});
const verdict = fc.record({
  status: fc.constantFrom('passed' as const, 'passed' as const, 'partial' as const, 'failed' as const),
  kind: fc.constantFrom(...VERDICT_KINDS),
  score: fc.double({ min: 0, max: 100, noNaN: true }),
  issues: fc.array(issue, { maxLength: 3 }),
  advice: text,
  message: text,
});
const metrics = fc.record({
  model: name,
  mcps: fc.array(name, { maxLength: 3 }),
  costUsd: fc.double({ min: 0, max: 9, noNaN: true }),
});
const paths = fc.array(name, { maxLength: 3 });

const WORK = '%+ %+ %+ %? %? %* %. %! skip:% force:% skipped:% not-applicable:% adopted:%'.split(' ');
const ABOUT_END = 'approve approve approve reject used rework rollback'.split(' ');
const step = fc.record({
  word: fc.constantFrom(...WORK, ...WORK, ...ABOUT_END, 'pause', 'resume', 'resume', 'close', 'complete'),
  unit: fc.constantFrom(...UNITS),
  subject: fc.constantFrom('pr-42', 'pr-42', 'pr-42', 'pr-42', 'pr-41'),
  pick: fc.nat(4),
  task: text,
  reason: text,
  result: fc.record({ verdict, metrics, undeclared: paths }),
});

/** A log in which each call of the engine, or of a person, is possible after those before it. */
export const logs = fc.array(step, { maxLength: 25 }).map((steps) => {
  const log = new LogBuilder();
  for (const { word, unit, subject, pick, task, reason, result } of steps) {
    log.subject = subject;
    const about = log.ends.filter(({ output }) => output !== undefined).at(-1 - pick);
    const last = log.entries.findLast((entry) => 'unit' in entry && entry.unit === unit && entry.kind !== 'decided');
    const isOpen = last?.kind === 'started' && last.run === log.run && last.subject === subject;
    if (/%[.!]/.test(word) ? !isOpen : ABOUT_END.includes(word) && about === undefined) continue;
    const changes = result.undeclared.map((path) => ({ path, before: null, after: '100644 a' }));
    const ended = { ...result, changes };
    log.play(word.replace('%', unit), { started: { task }, ended, decided: { reason }, about });
  }
  log.subject = 'pr-42';
  return log;
});
