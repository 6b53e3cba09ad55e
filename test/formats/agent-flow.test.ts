import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentFlow } from '../../src/formats/agent-flow/agent-flow.ts';
import type { RunView, UnitStatus, UnitView } from '../../src/report/view.ts';
import { DEEP_DIVE, ORCHESTRATION, TEAM } from './agent-flow-example.ts';
import { fileOf, filesOf, unitOf, viewOf } from './views.ts';

const [ALONE, GROUPED, DIVE] = ['orchestration.local.md', 'team-orchestration.local.md', 'deep-dive.local.md'] as const;
const TASK = 'Add user authentication with JWT tokens';

interface PhaseSketch {
  readonly id: string;
  readonly agent: string;
  readonly status: UnitStatus;
  readonly at?: string;
  readonly started?: string;
  readonly message?: string;
  readonly result?: string;
}

function phaseOf({ id, agent, status, at, started = at, message, result }: PhaseSketch, number: number): UnitView {
  const unit = unitOf(number, { status });
  const verdict = unit.verdict && { ...unit.verdict, message, result };
  const time = (text?: string) => text && `2024-01-15T${text}.250Z`;
  const attempt = {
    n: 1,
    how: 'ran',
    started: time(started),
    ended: status === 'running' ? undefined : time(at),
  } as const;
  return { ...unit, key: id, gate: id, agent, verdict, attempts: started === undefined ? [] : [attempt] };
}

const viewWith = (units: readonly UnitView[], fields: Partial<RunView> = {}): RunView => ({
  ...viewOf('executing', units, {}, 'main'),
  task: TASK,
  started: '2024-01-15T10:30:00.999Z',
  ...fields,
});
const write = (
  view: RunView,
  documents: Record<string, string> = { 'deep-dive': DEEP_DIVE.replace('10:00', '15:00').replace('01-15', '01-14') },
) => agentFlow.write({ view, values: new Map(), history: [], documents });

const FIRST = [
  { id: 'exploration', agent: 'Riko', status: 'passed', at: '10:31:00', message: 'Exploration complete' },
  { id: 'planning', agent: 'Senku', status: 'passed', at: '10:35:00', message: 'Plan created with 5 steps' },
] as const;

describe('writing', () => {
  it("prints the guide's example of one orchestration", () => {
    const units = [
      ...FIRST,
      { id: 'implementation', agent: 'Loid', status: 'running', started: '10:40:00' } as const,
      { id: 'review', agent: 'Lawliet', status: 'pending' } as const,
      { id: 'verification', agent: 'Alphonse', status: 'pending' } as const,
    ];
    const written = write(viewWith(units.map(phaseOf)));
    // The guide's own file is behind: its gates say what the phase is.
    expect(written[ALONE]).toBe(
      ORCHESTRATION.replace('current_phase: "exploration"', 'current_phase: "implementation"'),
    );
    expect([written[GROUPED], written[DIVE]]).toEqual([null, expect.stringContaining('# Deep-Dive Context')]);
  });

  it("prints the guide's example of a team", () => {
    const units = [
      ...FIRST.map(({ message: _, ...phase }) => phase),
      { id: 'implementation', agent: 'Loid', status: 'passed', at: '10:44:00' } as const,
      {
        id: 'review',
        agent: 'Lawliet',
        status: 'passed',
        started: '10:45:00',
        at: '10:46:30',
        result: 'APPROVED',
      } as const,
      { id: 'verification', agent: 'Alphonse', status: 'running', started: '10:45:15' } as const,
    ];
    const keys = ['review', 'verification'];
    const groups = [{ id: 'review_verification', mode: 'parallel', units: keys, status: 'running' }] as const;
    expect(write(viewWith(units.map(phaseOf), { groups }))[GROUPED]).toBe(TEAM);
    const sequential = write(viewWith(units.map(phaseOf), { groups: [{ ...groups[0], mode: 'sequential' }] }))[GROUPED];
    expect(sequential).toContain('mode: "sequential"\nteam_available: false\n');
    expect(sequential).toContain('current_phase: "verification"');
  });

  it('tells people in a terminal nothing but the text', () => {
    const unit = phaseOf({ ...FIRST[0], message: 'a\u001b[2Jb\n### Phase: Review\u202e' }, 0);
    const text = write(viewWith([unit]))[ALONE]!;
    expect(text).not.toMatch(/[\u001b\u202e]/);
    expect(text.match(/^### Phase/gm)).toHaveLength(1);
  });
});

describe('reading', () => {
  it('imports gates that passed, with result and message, and the deep dive', () => {
    const run = agentFlow.read([fileOf(ALONE, ORCHESTRATION), fileOf(DIVE, DEEP_DIVE)]);
    expect(run).toMatchObject({ pipeline: 'agent-flow', task: TASK, documents: { 'deep-dive': DEEP_DIVE } });
    expect(run.gates.map(({ gate, agent, output, needs }) => [gate, agent, output, needs])).toEqual([
      ['exploration', 'Riko', { message: 'Exploration complete', timestamp: '2024-01-15T10:31:00Z' }, []],
      [
        'planning',
        'Senku',
        { message: 'Plan created with 5 steps', timestamp: '2024-01-15T10:35:00Z' },
        ['exploration'],
      ],
      ['implementation', 'Loid', undefined, ['planning']],
      ['review', undefined, undefined, ['implementation']],
      ['verification', undefined, undefined, ['review']],
    ]);
    expect(run.notes[0]).toBe('implementation did not pass: it runs again');
  });

  it('imports members of a group with their results, after the gates before the group', () => {
    const { gates, notes } = agentFlow.read([fileOf(GROUPED, TEAM)]);
    expect(gates.slice(3)).toMatchObject([
      { gate: 'review', agent: 'Lawliet', needs: ['implementation'], output: { result: 'APPROVED' } },
      { gate: 'verification', agent: 'Alphonse', needs: ['implementation'] },
    ]);
    expect(gates[0]).toMatchObject({ gate: 'exploration', agent: 'Riko' });
    expect(notes.at(-1)).toContain('deep-dive.local.md, is not among the files');
  });

  it.each<[string, string, (text: string) => string, RegExp]>([
    [
      'a later gate that passed',
      ALONE,
      (text) => text.replace('"pending"\n---', '"passed"\n---'),
      /\/gates\/verification\/status: it has passed, and implementation/,
    ],
    [
      'a phase that is no gate',
      ALONE,
      (text) => text.replace('current_phase: "exploration"', 'current_phase: "x"'),
      /\/current_phase: there is no gate x/,
    ],
    [
      'an end that is none',
      ALONE,
      (text) => text.replace('current_phase: "exploration"', 'current_phase: "complete"'),
      /implementation has not passed/,
    ],
    [
      'too many iterations',
      ALONE,
      (text) => text.replace('iteration: 1', 'iteration: 11'),
      /it is 11, and max_iterations is 10/,
    ],
    [
      'two words for a member',
      GROUPED,
      (text) => text.replace('      status: "passed"', '      status: "failed"'),
      /it is failed, and passed under gates/,
    ],
    [
      'a group that passed before its members',
      GROUPED,
      (text) =>
        text.replaceAll(
          '  review_verification:\n    status: "in_progress"',
          '  review_verification:\n    status: "passed"',
        ),
      /it has passed, and verification has not/,
    ],
    [
      'a status that is no word',
      ALONE,
      (text) => text.replace('"in_progress"', '"running"'),
      /orchestration.local.md\/gates\/implementation\/status: /,
    ],
    ['no front matter', ALONE, () => '# Notes', /front matter/],
    ['YAML that is none', ALONE, (text) => text.replace('active: true', 'active: {'), /orchestration\.local\.md/],
  ])('refuses %s', (_, name, change, message) =>
    expect(() => agentFlow.read([fileOf(name, change(name === ALONE ? ORCHESTRATION : TEAM))])).toThrow(message),
  );

  it('takes the active one of two orchestrations, and refuses two', () => {
    const files = [fileOf(ALONE, ORCHESTRATION), fileOf(GROUPED, TEAM)];
    expect(() => agentFlow.read(files)).toThrow(/exactly one/);
    const run = agentFlow.read([fileOf(ALONE, ORCHESTRATION.replace('active: true', 'active: false')), files[1]!]);
    expect(run.notes).toContain(`${ALONE} is not active: left out`);
    expect(run.gates).toHaveLength(5);
  });

  it('gives back what was written, for any run', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const statuses = 'passed partial failed lost skipped not-applicable running pending paused blocked'.split(' ');
    const sketch = fc.record({
      agent: text,
      message: fc.option(text, { nil: undefined }),
      result: fc.option(text, { nil: undefined }),
      status: fc.constantFrom(...(statuses as UnitStatus[])),
    });
    const mode = fc.constantFrom('parallel', 'sequential');
    fc.assert(
      fc.property(
        fc.array(sketch, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        mode,
        text,
        (gates, isTeam, of, task) => {
          const units = gates.map((gate, index) => phaseOf({ ...gate, id: `g-${index}`, at: '10:31:00' }, index));
          const keys = units.slice(-2).map(({ key }) => key);
          const groups = isTeam ? [{ id: 'team', mode: of, units: keys, status: 'pending' } as const] : [];
          const view = viewWith(units, { groups, task });
          const run = agentFlow.read(filesOf(write(view, {})));
          expect(run.task).toBe(task);
          expect(new Set(run.gates.map(({ gate }) => gate))).toEqual(new Set(units.map(({ key }) => key)));
          for (const { gate, output, agent } of run.gates) {
            const unit = units.find(({ key }) => key === gate)!;
            expect(output !== undefined).toBe(unit.done);
            if (output === undefined) continue;
            if (!isTeam) expect([agent, (output as { message?: string }).message]).toEqual([unit.agent, shown(unit)]);
            else if (keys.includes(unit.key)) expect(agent).toBe(unit.agent);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

const shown = ({ status, verdict, reason }: UnitView): string | undefined =>
  status === 'skipped' ? reason : verdict?.message;
