import { expect } from 'vitest';
import { decide, keepOutputs, type DecisionName } from '../../src/engine/decide/decide.ts';
import { createPipeline, orderOf, type GateSketch } from '../support/pipelines.ts';
import { rollBackRun } from './folder-commands.ts';
import type { Answer, SimulatedAgent } from './memory-agents.ts';
import { BY, Simulation } from './simulation.ts';

type Files = Readonly<Record<string, string | null>>;

/** What an agent does, the nth time that it works. Default: nothing, with the output `{}`. */
export type Script = (agent: StoryAgent, n: number, user: Simulation) => Answer | undefined | void | Promise<void>;
type StoryAgent = Pick<SimulatedAgent, 'note' | 'read' | 'tick'> & { write(path: string, content: string): void };

/** Edits of the user, a decision, or a run: `isolated: agents that worked; put files; failed units`, or `; killed`. */
type Step = Files | readonly [DecisionName | 'keep' | 'rollback', ...string[]] | string;

type Agents = Readonly<Record<string, Script>>;
export type Story = readonly [
  files: Files,
  gates: readonly GateSketch[],
  agents: Agents,
  steps: readonly Step[],
  end?: Files,
];

/** Lets a story happen: each run must do what its step says, and the oracle must find no fault. */
export async function expectStory([files, gates, agents, steps, end = {}]: Story): Promise<void> {
  const starts: string[] = [];
  const user: Simulation = new Simulation(1, {
    paths: [...Object.keys({ ...files, ...end }), 'x', 'y', 'log', 'coverage', 'go'],
    careful: true,
    behaviorOf: (unit) => async (agent) => {
      starts.push(unit);
      await agent.tick();
      const answer = await agents[unit]?.(agent, starts.filter((other) => other === unit).length, user);
      await agent.tick();
      return answer ?? { output: {} };
    },
  });
  const pipeline = createPipeline(gates);
  const edit = (changes: Files) => Object.entries(changes).forEach(([path, content]) => user.set(path, content));
  edit(files);
  for (const [index, step] of steps.entries()) {
    if (typeof step === 'string') {
      const first = starts.length;
      const isIsolated = step.startsWith('isolated: ');
      const report = await user.call(pipeline, { maxParallel: 1, isIsolated });
      const failed = [...(report?.result.outcomes ?? [])].filter(([, { result }]) => result === 'failed');
      const put = report?.put.length ? `; put ${report.put.join(' ')}` : '';
      const failures = failed.length > 0 ? `; failed ${failed.map(([unit]) => unit).join(' ')}` : '';
      const actual = starts.slice(first).join(' ') + put + failures + (report === undefined ? '; killed' : '');
      expect(actual, `step ${index + 1}`).toBe(step.replace('isolated: ', ''));
    } else if (Array.isArray(step)) {
      const [decision, ...units] = step as Extract<Step, readonly string[]>;
      user.oracle.beginCall(pipeline, 'main', false);
      await user.quietly(pipeline, {}, async (ports) => {
        if (decision === 'rollback') await rollBackRun(user, pipeline, {}, units[0]!);
        else if (decision !== 'keep') await decide(ports, orderOf(pipeline), { decision, unit: units[0] }, BY);
        else await keepOutputs(ports, orderOf(pipeline), units, BY).catch(() => {});
      });
    } else edit(step as Files);
  }
  expect(Object.fromEntries(Object.keys(end).map((path) => [path, user.folder.read(path)]))).toEqual(end);
  expect(user.oracle.faults).toEqual([]);
}
