import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOfJson } from '../../src/json/canonical-json.ts';
import type { Gate, Leg, Pipeline } from '../../src/pipeline/pipeline.ts';
import { engineWorld, Killed, type AgentCall, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { drawn } from '../support/samples.ts';

// One loop over a random graph whose gates may have legs: what it comes to does not depend on what runs in parallel.

const JUDGED = {
  contract: { schema: undefined, score: '/score', threshold: 80, partial: 'block', checks: [] },
} as const;

interface Story {
  /** In the order of the file. Gate 0 is the target. */
  readonly gates: readonly {
    readonly legs: number;
    /** A bit for each earlier gate that it needs. */
    readonly needs: number;
    readonly handsOn: boolean;
    readonly failFast: boolean;
  }[];
  /** The gates that judge; two of them are a group. */
  readonly judges: readonly [number, number];
  readonly mode: 'parallel' | 'sequential';
  readonly maxIterations: number;
  /** Of ten outputs, so many are good enough. The score of the others. */
  readonly good: number;
  readonly bad: number;
  readonly salt: number;
}

const story = fc.record({
  gates: fc.array(
    fc.record({
      legs: fc.integer({ min: 0, max: 3 }),
      needs: fc.nat(31),
      handsOn: fc.boolean(),
      failFast: fc.boolean(),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  judges: fc.tuple(fc.nat(3), fc.nat(3)),
  mode: fc.constantFrom('parallel', 'sequential'),
  maxIterations: fc.integer({ min: 1, max: 4 }),
  good: fc.integer({ min: 1, max: 9 }),
  bad: fc.constantFrom(-1, 10),
  salt: fc.nat(1_000),
});

function judgesOf({ gates, judges }: Story): string[] {
  return [...new Set(judges.map((one) => `g${1 + (one % (gates.length - 1))}`))];
}

function pipelineFor(told: Story, maxParallel: number): Pipeline {
  const judges = judgesOf(told);
  const onFail = { goto: 'g0', maxIterations: told.maxIterations };
  const gates = told.gates.map(({ legs, needs, handsOn, failFast }, index): [string, Partial<Gate>] => {
    const id = `g${index}`;
    const all = Array.from({ length: index }, (_, other) => `g${other}`);
    const isJudge = judges.includes(id);
    const named = all.filter((one, other) => ((needs >> other) & 1) === 1 || (isJudge && one === 'g0'));
    const own = { needs: named.length === 0 ? all.slice(-1) : named, inputs: [id], failFast };
    const legsOf = (count: number): Leg[] =>
      Array.from({ length: count }, (_, leg) => ({ id: `l${leg}`, matrix: { leg } }));
    return [
      id,
      {
        ...own,
        ...(legs > 0 ? { legs: legsOf(legs) } : handsOn && { files: [id] }),
        ...(isJudge && JUDGED),
        ...(isJudge && judges.length === 1 && { onFail }),
      },
    ];
  });
  const groups = judges.length === 1 ? [] : [{ id: 'judges', gates: judges, mode: told.mode, onFail }];
  return pipelineOf(Object.fromEntries(gates), { maxParallel, groups });
}

/** Agents whose answers depend on what they are asked only. Few answers differ, so that work often looks the same. */
function worldFor(told: Story, isFickle = false): EngineWorld {
  const judges = new Set(judgesOf(told));
  const files = Object.fromEntries(told.gates.map((_, index) => [`g${index}`, 'x']));
  return engineWorld(({ unit, request, files: seen }: AgentCall) => {
    const gate = unit.split('/')[0]!;
    const asked = digestOfJson([unit, request['fingerprint']!, isFickle ? request['attempt']! : 0, told.salt]);
    const drawnFrom = Number.parseInt(asked.slice(-6), 16);
    if (seen.has(gate)) seen.set(gate, `${drawnFrom}`);
    const isBad = judges.has(gate) && drawnFrom % 10 >= told.good;
    return { output: { score: isBad ? told.bad : 100, answer: drawnFrom % 5 } };
  }, files);
}

/** What a run came to: its status, and how often the target was sent back. */
async function outcome(world: EngineWorld, pipeline: Pipeline): Promise<object> {
  const { state } = await world.run(pipeline);
  const targets = [...state.units.values()].filter(({ gate }) => gate === 'g0');
  return { status: state.status, sentBack: targets.map(({ reworks }) => reworks.length), problems: state.problems };
}

const startsOfTarget = ({ starts }: EngineWorld): number => starts.filter((one) => /^g0[#/]/.test(one)).length;

describe('a loop over a random graph with legs', { timeout: 3_600_000 }, () => {
  it('comes to the same, whatever runs in parallel, and is reused whole', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const outcomes: object[] = [];
        for (const maxParallel of [1, 2, 8]) {
          const world = worldFor(told, true);
          const pipeline = pipelineFor(told, maxParallel);
          const came = (await outcome(world, pipeline)) as { status: string };
          outcomes.push({ ...came, starts: startsOfTarget(world) });
          const before = world.starts.length;
          if (came.status === 'completed') await world.run(pipeline);
          expect(world.starts).toHaveLength(before);
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
        expect(outcomes[2]).toEqual(outcomes[0]);
        expect(outcomes[0]).toMatchObject({ problems: [] });
      }),
      drawn(150),
    );
  });

  it('comes to the same after a kill', async () => {
    await fc.assert(
      fc.asyncProperty(
        story,
        fc.constantFrom(1, 2, 8),
        fc.integer({ min: 1, max: 400 }),
        async (told, most, dieAfter) => {
          const pipeline = pipelineFor(told, most);
          const whole = worldFor(told);
          const expected = await outcome(whole, pipeline);
          const killed = worldFor(told);
          const isDead = await killed.run(pipeline, {}, { dieAfter }).then(
            () => false,
            (error: unknown) => {
              if (error instanceof Killed) return true;
              throw error;
            },
          );
          if (!isDead) return;
          expect(await outcome(killed, pipeline)).toEqual(expected);
          expect(startsOfTarget(killed) - startsOfTarget(whole)).toBeLessThanOrEqual(told.gates[0]!.legs || 1);
        },
      ),
      drawn(150),
    );
  });
});
