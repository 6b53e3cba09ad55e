import { describe, expect, it } from 'vitest';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { groupStates, type GroupState } from '../../../src/run/state/group-states.ts';
import { decided, ended, FAILED_CHECK, ran, reviewed, started, stateOf } from '../../report/fixtures.ts';

const at = (minute: number, seconds: string): string => `2026-01-02T03:0${minute}:${seconds}Z`;
const where = (minute: number) => ({ pipeline: reviewed, minute });

/** The group of style and security, after build. */
function review(...records: readonly GatelineRecord[]): GroupState {
  const { state } = stateOf([...ran('build', where(0)), ...records], { pipeline: reviewed });
  return groupStates(state, reviewed.groups)[0]!;
}

describe('the state of a group', () => {
  it('lasts from the begin of its first gate to the end of its last', () => {
    expect(review(...ran('security', where(3)), ...ran('style', where(1)))).toEqual({
      id: 'review',
      gates: ['style', 'security'],
      status: 'passed',
      done: true,
      startedAt: at(1, '00.000'),
      endedAt: at(3, '12.500'),
      durationMs: 132_500,
    });
  });

  it('has no end while a gate has no result', () => {
    const running = review(...ran('style', where(1)), started('security', where(2)));
    const begun = { done: false, startedAt: at(1, '00.000'), endedAt: null, durationMs: null };
    expect(running).toMatchObject({ status: 'running', ...begun });
    expect(review(...ran('style', where(1)))).toMatchObject({ status: 'ready', ...begun });
  });

  it('has the worst status of its gates', () => {
    const failed = ran('style', where(1), { verdict: { ...FAILED_CHECK, issues: [] } });
    expect(review(...failed, started('security', where(2)))).toMatchObject({ status: 'failed', done: false });
    expect(review(...failed, ...ran('security', where(2)))).toMatchObject({ status: 'failed', durationMs: 72_500 });
  });

  it('has taken no time for what was reused or skipped', () => {
    const source = { runNumber: 1, runAttempt: 1, n: 1 };
    const again = ended('style', { ...where(1), run: 2 }, { how: 'reused', source });
    const none = { startedAt: null, endedAt: null, durationMs: null };
    const built = ran('build', { ...where(0), run: 2 });
    const { state } = stateOf([...built, again, decided('security', { ...where(2), run: 2 })], { pipeline: reviewed });
    expect(groupStates(state, reviewed.groups)).toMatchObject([{ status: 'skipped', done: true, ...none }]);
  });

  it('has no time if clocks went backwards', () => {
    const early = ran('style', where(2), { at: at(1, '00.000') });
    expect(review(...early, ...ran('security', where(2), { at: at(1, '00.000') }))).toMatchObject({ durationMs: null });
  });

  it('is nothing without groups', () => {
    expect(groupStates(stateOf([]).state, [])).toEqual([]);
  });
});
