import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepDiveHeader, frontMatter } from '../../../src/formats/agent-flow/deep-dive.ts';
import {
  orchestrationSchema,
  orchestrationText,
  type FlowStatus,
} from '../../../src/formats/agent-flow/orchestration.ts';
import { readAgentFlow } from '../../../src/formats/agent-flow/read.ts';
import { writeAgentFlow } from '../../../src/formats/agent-flow/write.ts';
import { FileFindings } from '../../../src/formats/findings.ts';
import { worstStatus } from '../../../src/run/state/run-state.ts';
import { drawn } from '../../support/samples.ts';
import { gate, pipelineOf } from '../../report/fixtures.ts';
import { completed, exported, filesOf, stories, type Outcome } from '../arbitrary-run.ts';
import { texts } from '../arbitrary-values.ts';

const word = texts.filter((text) => text.isWellFormed());
const ids = ['exploration', 'planning', 'review-tests', 'true', 'null', '1e3', 'a b', '~', 'é:', "it's"];
const gateOf = fc.record({ timestamp: word, agent: word, message: word }, { requiredKeys: [] });

/** Orchestrations whose phases passed up to one of them; of a team, the last two are members of a group. */
const orchestrations = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...ids), { minLength: 2, maxLength: 6 }),
    gates: fc.array(gateOf, { minLength: 6, maxLength: 6 }),
    results: fc.array(word, { minLength: 6, maxLength: 6 }),
    passed: fc.nat(7),
    open: fc.constantFrom<FlowStatus>('pending', 'in_progress', 'failed'),
    mode: fc.constantFrom(undefined, 'team' as const, 'sequential' as const),
    dive: fc.record({ available: fc.boolean(), using: fc.boolean(), scope: word, generated: word }),
    iteration: fc.nat(9),
    active: fc.boolean(),
    task: word,
    started: word,
  })
  .map(({ names, gates, results, passed, open, mode, dive, iteration, active, task, started }) => {
    const last = names.length - 2;
    // The members of a group are one step: both passed, or none.
    const done = mode !== undefined && passed === last + 1 ? last : passed;
    const statusOf = (at: number): FlowStatus => (at < done ? 'passed' : at === done ? open : 'pending');
    const own = names.map((id, at) => {
      const { agent, message, timestamp } = gates[at]!;
      const said =
        mode === undefined ? { ...(agent !== undefined && { agent }), ...(message !== undefined && { message }) } : {};
      return [id, { status: statusOf(at), ...(timestamp !== undefined && { timestamp }), ...said }] as const;
    });
    const group = {
      status: statusOf(last + 1) === 'passed' ? ('passed' as const) : statusOf(last),
      started_at: started,
      completed_at: '',
    };
    const members = names.slice(last).map((id, at) => {
      return [
        id,
        { status: statusOf(last + at), agent: `agent ${at}`, timestamp: started, result: results[at]! },
      ] as const;
    });
    const grouped = [...own.slice(0, last), ['both', { status: group.status }] as const, ...own.slice(last)];
    return orchestrationSchema.parse({
      active,
      current_phase: done >= names.length ? 'complete' : names[done]!,
      iteration,
      max_iterations: 9,
      started_at: started,
      task,
      ...(mode !== undefined && { mode, team_available: mode === 'team' }),
      deep_dive: dive,
      ...(mode !== undefined && { parallel_groups: { both: { ...group, ...Object.fromEntries(members) } } }),
      gates: Object.fromEntries(mode === undefined ? own : grouped),
    });
  });

describe('an orchestration', () => {
  it('is written as it was read, byte for byte, and gives what its gates said', () => {
    fc.assert(
      fc.property(orchestrations, (state) => {
        const path = state.mode === undefined ? 'orchestration.local.md' : 'team-orchestration.local.md';
        const [file] = filesOf([{ path, text: orchestrationText(state, {}) }]);
        const findings = new FileFindings();
        const header = findings.frontMatter(file!)?.header;
        // Members of a group are keys beside its own.
        const read = findings.shaped(orchestrationSchema, header, path);
        expect(findings.problems).toEqual([]);
        expect(read).toEqual(state);
        expect(Object.keys(read!.gates)).toEqual(Object.keys(state.gates));
        expect(Buffer.from(orchestrationText(read!, {}))).toEqual(file!.bytes);
        const { run, problems } = readAgentFlow([file!]);
        expect(problems).toEqual([]);
        const groups = state.parallel_groups ?? {};
        const passed = Object.entries(state.gates).filter(
          ([id, { status }]) => status === 'passed' && !Object.hasOwn(groups, id),
        );
        const said = passed.map(([id, { message, timestamp }]) => {
          const result = groups['both']?.members[id]?.result ?? '';
          const parts = { ...(message !== undefined && { message }), ...(result !== '' && { result }) };
          return [id, { ...parts, ...(timestamp !== undefined && { timestamp }) }] as const;
        });
        expect(completed(run.gates)).toEqual(new Map(said));
        expect(run.keys).toMatchObject({ task: state.task });
      }),
      drawn(500),
    );
  });
});

describe('the front matter of a deep dive', () => {
  it('is read as it was written', () => {
    const path = fc.constantFrom('src', 'src/a b', 'é', '- x', '#', 'null', "it's", '"q"');
    const origin = fc.record({
      generated: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      focus: fc.option(path),
      commit: fc.option(fc.constantFrom('0'.repeat(40), '1e5'.padEnd(40, '0'), 'a'.repeat(64))),
      staleAfter: fc.integer({ min: 0, max: 100 }).map((share) => `${share}%`),
      maxAge: fc.option(fc.constantFrom('30d', '12h')),
      agents: fc.record({ spawned: fc.nat(99), completed: fc.nat(99) }),
    });
    fc.assert(
      fc.property(origin, (from) => {
        const text = `${frontMatter(from)}\n# Deep-Dive Context\n`;
        expect(deepDiveHeader(text)).toMatchObject({
          generated: from.generated.toISOString(),
          scope: from.focus === null ? 'full' : 'focused',
          focus_path: from.focus,
          agent_count: from.agents.spawned,
          phases: { parallel_exploration: { agents_completed: from.agents.completed } },
          commit: from.commit,
          stale_after: from.staleAfter,
          max_age: from.maxAge,
        });
        const { run, problems } = readAgentFlow(filesOf([{ path: 'deep-dive.local.md', text }]));
        expect([problems, run.documents]).toEqual([[], [{ name: 'deep-dive', text }]]);
      }),
      drawn(300),
    );
  });
});

describe('a run that is exported to agent-flow', () => {
  it('is read with the same statuses, groups and lines', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(stories({ ids: ['a', 'b', 'c', 'd', 'e'], grouped: true }), async (story) => {
        const run = await exported(story);
        const { state, pipeline } = run;
        const [file] = filesOf(writeAgentFlow(run));
        const { problems, run: read } = readAgentFlow([file!]);
        const unitsOf = (id: string) => [...state.units.values()].filter(({ gate }) => gate === id);
        const passed = pipeline.gates.filter(({ id }) => unitsOf(id).every(({ done }) => done)).map(({ id }) => id);
        expect(problems).toEqual([]);
        expect([...completed(read.gates).keys()]).toEqual(passed);
        // The file names the agents of gates that have begun, and of members.
        const inGroup = new Set(pipeline.groups.flatMap(({ gates }) => gates));
        const waits = new Set(['pending', 'ready', 'blocked']);
        const hasBegun = (id: string): boolean => !waits.has(worstStatus(unitsOf(id).map(({ status }) => status))!);
        const named = pipeline.gates.map(({ id, agent, needs }) => {
          return [id, inGroup.has(id) || hasBegun(id) ? agent : undefined, needs];
        });
        expect(read.gates.map(({ gate, agent, needs }) => [gate, agent, needs])).toEqual(named);
        expect(read.keys['groups'] ?? {}).toEqual(
          Object.fromEntries(pipeline.groups.map(({ id, gates }) => [id, gates])),
        );
        expect(read.keys['task']).toBe(state.task ?? pipeline.task ?? state.subject);
        seen.add(`${state.status}${pipeline.groups.length > 0 ? ' of a team' : ''}`);
      }),
      drawn(1_000),
    );
    for (const status of ['completed', 'error', 'executing', 'rollback'])
      expect([...seen]).toEqual(expect.arrayContaining([status, `${status} of a team`]));
  });
});

describe('gates that ran side by side without a group', () => {
  it('are written as a line that is read without a contradiction: what is done first, then what is done in part', async () => {
    const told = (end: Outcome['end']): Outcome => {
      return { end, score: 100, output: {}, label: '', message: '', issue: 'i', attempts: 1 };
    };
    const gates = [
      gate('waits', 0, { needs: ['first'] }),
      gate('first', 1),
      gate('begun', 2, { needs: ['first'] }),
      gate('m', 3, { needs: ['first'] }),
      gate('n', 4, { needs: ['first'] }),
      gate('passed', 5, { needs: ['first'] }),
    ];
    const groups = [{ id: 'g', gates: ['m', 'n'], mode: 'parallel' as const, onFail: undefined }];
    const ends = {
      waits: 'nothing',
      first: 'passed',
      begun: 'running',
      m: 'passed',
      n: 'failed',
      passed: 'passed',
    } as const;
    const run = await exported({
      pipeline: pipelineOf(gates, { id: 'p', groups, metadata: {} }),
      told: Object.fromEntries(Object.entries(ends).map(([id, end]) => [id, told(end)])),
      isRolledBack: false,
    });
    const { problems, run: read } = readAgentFlow(filesOf(writeAgentFlow(run)));
    expect(problems).toEqual([]);
    expect(read.gates.map((one) => one.gate)).toEqual(['first', 'passed', 'm', 'n', 'waits', 'begun']);
    expect([...completed(read.gates).keys()]).toEqual(['first', 'passed', 'm']);
  });
});
