import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../src/history/entry.ts';
import { SET_WORKFLOW, setWorkflow } from '../../../scripts/write-set-workflow.ts';
import { REPOSITORY } from '../../support/command-line.ts';
import { ActionWorld, errorsOf, messagesOf } from './action-world.ts';
import { called, CALLED, endsOf, GATES, gate, KNOWS, run, setOf, worldOf } from './set-world.ts';
import { ACTION, CHECKOUT, type Keys } from './workflow-text.ts';

const FOUR = setOf(
  { id: 'base' },
  { id: 'bad', set: 'second' },
  { id: 'top', needs: 'base', set: 'second' },
  { id: 'last', needs: ['bad', 'top'] },
);

it('is what its script writes', async () => {
  expect(await readFile(join(REPOSITORY, SET_WORKFLOW), 'utf8')).toBe(setWorkflow());
});

describe('set.yml', () => {
  it('runs each subject after those that it needs; one that fails blocks those, and a re-run continues', async () => {
    await using world = await worldOf(FOUR);
    const started = await world.run(run);
    const first = await started.start().ended;
    expect(endsOf(first)).toEqual({
      'next-0': 'success',
      base: 'success',
      bad: 'failure',
      'next-1': 'success',
      top: 'success',
      'next-2': 'success',
      report: 'failure',
    });
    expect(await world.startedGates()).toEqual(['bad/make', 'base/check', 'base/make', 'top/check', 'top/make']);
    expect(messagesOf(first.job('next-2'), 'notice')).toContain(
      'Blocked: last does not start: needs bad, which failed',
    );
    const report = first.job('report');
    expect(report.outputs['passed']).toBe('false');
    expect(errorsOf(report)).toEqual([
      expect.stringMatching(/^Subject: bad: failed: make failed/),
      'Subject: last: blocked: needs bad, which failed',
      'Set not completed: 4 subjects: 2 completed, 1 failed, 1 blocked',
    ]);
    expect(report.summary).toContain('4 subjects: 2 completed, 1 failed, 1 blocked.');
    expect(report.summary).toMatch(/\| `last` \| blocked \| {1,2}\| needs bad, which failed \|/);
    const second = await started.rerunFailed().ended;
    expect(endsOf(second)).toMatchObject({ bad: 'success', last: 'success', report: 'success' });
    // What is done is kept, per subject.
    expect(await world.startedGates()).toEqual(['bad/check', 'bad/make', 'last/check', 'last/make']);
    expect(second.job('report').outputs['passed']).toBe('true');
    // The report about the set keeps one document a run attempt, with an entry for each subject that has records.
    const { artifacts, blobs } = world.service.world;
    const kept = artifacts.filter(({ name }) => name.startsWith('gl1.history.'));
    expect(kept.map(({ name }) => name.split('.').slice(3).join('.'))).toEqual(['1.json', '2.json']);
    const outcomes = kept.map(({ blob }) => {
      const { entries } = JSON.parse(blobs.blobs.get(blob)!.content.toString()) as { entries: HistoryEntry[] };
      return entries.map(({ subject, status, set = '' }) => `${subject} ${status} ${set}`.trim()).toSorted();
    });
    expect(outcomes).toEqual([
      ['bad error second', 'base completed', 'top completed second'],
      ['bad completed second', 'base completed', 'last completed', 'top completed second'],
    ]);
  });

  it('runs one set of the file, and says what it would need from others', async () => {
    await using world = await worldOf(FOUR);
    const inputs = { set: 'subjects.json', 'only-set': 'second' };
    const report = await (await world.run({ ...run, inputs })).start().ended;
    expect(messagesOf(report.job('next-0'), 'notice')).toContain(
      'Blocked: top does not start: needs base, which was not chosen',
    );
    expect(await world.startedGates()).toEqual(['bad/make']);
    expect(errorsOf(report.job('report')).at(-1)).toContain('2 subjects: 1 failed, 1 blocked');
    const unknown = { set: 'subjects.json', 'only-set': 'secund' };
    const other = await (await world.run({ ...run, inputs: unknown })).start().ended;
    expect(errorsOf(other.job('next-0')).join()).toContain('SET_UNKNOWN: no subject belongs to the set secund');
  });

  it('believes the jobs where records say more than they', async () => {
    await using world = await worldOf(setOf({ id: 'base' }), {
      ...GATES,
      make: gate('make', KNOWS),
    });
    // A step after the gates fails: the records are those of a completed run.
    const text = (await called()).replace(
      /^( +)- id: check$/m,
      '$1- if: always()\n$1  run: exit 1\n$1- if: always()\n$1  id: check',
    );
    expect(text).toContain('run: exit 1');
    await world.repository.write(CALLED, text);
    await world.repository.commitAll('a job that fails');
    const report = await (await world.run(run)).start().ended;
    expect(report.job('base').conclusion).toBe('failure');
    expect(errorsOf(report.job('report'))).toEqual([
      'Set not completed: 1 subject: 1 completed, but a job ended with failure',
    ]);
    expect(report.job('report').outputs['passed']).toBe('false');
  });

  it.each<[string, string, object, string]>([
    ['a wrong file', setOf({ id: 'a', needs: 'b' }), GATES, 'NEED_UNKNOWN'],
    [
      'what pipeline.yml refuses',
      FOUR,
      { make: { ...GATES.make, services: { db: { image: 'postgres' } } } },
      'WAVES_UNSUPPORTED',
    ],
    [
      'more waves than it has jobs',
      setOf({ id: 's0' }, ...Array.from({ length: 8 }, (_, n) => ({ id: `s${n + 1}`, needs: `s${n}` }))),
      GATES,
      'SET_UNSUPPORTED: the subjects are 9 waves, and there are jobs for 8',
    ],
  ])('refuses %s before any agent starts', async (_, subjects, gates, why) => {
    await using world = await worldOf(subjects, gates);
    const report = await (await world.run(run)).start().ended;
    expect(endsOf(report)).toEqual({ 'next-0': 'failure', report: 'failure' });
    expect(errorsOf(report.job('next-0')).join()).toContain(why);
    expect(await world.startedGates()).toEqual([]);
  });
});

describe('a gate with the input set', () => {
  it('says that the file does not have its subject', async () => {
    const job = (inputs: Keys): Keys => ({
      'runs-on': 'ubuntu-latest',
      steps: [CHECKOUT, { uses: ACTION, with: { gate: 'make', set: 'subjects.json', ...inputs } }],
    });
    await using world = await ActionWorld.ofJobs(
      { none: job({}), other: job({ subject: 'other' }), file: job({ set: 'none.json', subject: 'a' }) },
      { 'gateline.yml': JSON.stringify({ gates: { make: GATES.make } }), 'subjects.json': setOf({ id: 'a' }) },
    );
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('none')).join()).toContain('SUBJECT_UNKNOWN: the input `subject` is not set');
    expect(errorsOf(report.job('other')).join()).toContain('SUBJECT_UNKNOWN: subjects.json has no subject "other"');
    expect(errorsOf(report.job('file')).join()).toContain('SET_UNREADABLE');
    expect(await world.startedGates()).toEqual([]);
  });
});
