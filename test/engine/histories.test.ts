import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { isJsonObject } from '../../src/untrusted/json.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { drawn } from '../support/test-size.ts';

/** Gates of a random graph: which earlier gates each needs, and whether it exports all that it says. */
const shapes = fc.array(
  fc.record({ needs: fc.array(fc.nat(5), { maxLength: 3 }), terse: fc.boolean(), retries: fc.nat(1) }),
  { minLength: 1, maxLength: 6 },
);

/** What happens between two calls. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('edit' as const), gate: fc.nat(5), text: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ do: fc.constant('break' as const), gate: fc.nat(5) }),
    fc.record({ do: fc.constant('mend' as const), gate: fc.nat(5) }),
    fc.record({ do: fc.constant('force' as const), gate: fc.nat(5) }),
    fc.record({ do: fc.constant('lose' as const), gate: fc.nat(5) }),
    fc.record({ do: fc.constant('run' as const), gate: fc.constant(0) }),
  ),
  { minLength: 1, maxLength: 12 },
);

type Shapes = typeof shapes extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

/** The pipeline, what its agents say, and what they ought to say. */
class History {
  readonly pipeline: Pipeline;
  readonly world: EngineWorld;
  readonly broken = new Set<string>();
  readonly #shapes: Shapes;
  /** Requests that were answered well, by unit: what an agent is given decides what it says. */
  readonly #answered = new Set<string>();
  unneeded: string[] = [];

  constructor(shapesOf: Shapes) {
    this.#shapes = shapesOf;
    this.pipeline = pipelineOf(
      Object.fromEntries(
        shapesOf.map((shape, index) => [
          `g${index}`,
          {
            inputs: [`f${index}.txt`],
            needs: this.needsOf(index),
            retries: shape.retries,
            exports: shape.terse ? ['/short'] : [''],
          },
        ]),
      ),
    );
    const files = Object.fromEntries(shapesOf.map((_, index) => [`f${index}.txt`, '0']));
    this.world = engineWorld(({ unit }) => this.#answer(unit), files);
  }

  needsOf(index: number): string[] {
    return [...new Set(this.#shapes[index]!.needs.filter((need) => need < index))].map((need) => `g${need}`);
  }

  /** The output that a gate must have for the files as they are now. */
  expected(unit: string): { short: string; long: string } {
    const index = Number(unit.slice(1));
    const text = this.world.workspace.files.get(`f${index}.txt`)!;
    const needs = this.needsOf(index).map((need) => this.exported(need));
    const long = JSON.stringify([unit, text, needs]);
    // Few different ones, so that different outputs often export the same.
    return { short: `${unit}:${Number(text) % 2}:${needs.length}`, long };
  }

  exported(unit: string): unknown {
    const expected = this.expected(unit);
    return this.#shapes[Number(unit.slice(1))]!.terse ? { short: expected.short } : expected;
  }

  #answer(unit: string): { output?: { short: string; long: string }; result?: { exitCode: number } } {
    const output = this.expected(unit);
    const key = `${unit} ${output.long}`;
    if (this.#answered.has(key)) this.unneeded.push(unit);
    if (this.broken.has(unit)) return { result: { exitCode: 1 } };
    this.#answered.add(key);
    return { output };
  }

  async take(step: Step): Promise<void> {
    const unit = `g${step.gate % this.#shapes.length}`;
    if (step.do === 'edit') this.world.workspace.files.set(unit.replace('g', 'f') + '.txt', String(step.text));
    else if (step.do === 'break') this.broken.add(unit);
    else if (step.do === 'mend') this.broken.delete(unit);
    else if (step.do === 'run') await this.run();
    else if (step.do === 'lose') await this.#lose(unit);
    else {
      // A forced gate's earlier outputs no longer count, whatever they were made from.
      for (const key of this.#answered) if (key.startsWith(`${unit} `)) this.#answered.delete(key);
      await this.run([unit]);
    }
  }

  /** Takes the output of a gate's newest attempt away. It may be that of other attempts and gates too. */
  async #lose(unit: string): Promise<void> {
    const listing = await this.world.ports().store.list('test', 'subject');
    const ended = listing.records.findLast(
      (record) => record.kind === 'ended' && record.gate === unit && record.value !== undefined,
    );
    if (ended?.kind !== 'ended') return;
    const bytes = this.world.medium.contents.get(ended.value!.digest);
    if (bytes === undefined) return;
    this.world.medium.contents.delete(ended.value!.digest);
    this.#answered.delete(`${unit} ${(JSON.parse(Buffer.from(bytes).toString()) as { long: string }).long}`);
  }

  async run(force: readonly string[] = []): Promise<void> {
    const before = this.world.starts.length;
    const options = force.length === 0 ? {} : { force: { gates: force, actor: 'me', reason: 'because' } };
    const { state } = await this.world.run(this.pipeline, {}, options);
    expect(['completed', 'error']).toContain(state.status);
    expect(state.problems.filter((problem) => problem.code !== 'OUTPUT_MISSING')).toEqual([]);
    for (const [key, unit] of state.units) {
      if (unit.done) expect(unit.exports, key).toBeDefined();
      if (unit.done && unit.exports) expect(await this.#read(unit.exports.digest), key).toEqual(this.exported(key));
    }
    const counts = Map.groupBy(this.world.starts.slice(before), (start) => start.split('#')[0]!);
    for (const [unit, starts] of counts)
      expect(starts.length).toBeLessThanOrEqual(this.#shapes[Number(unit.slice(1))]!.retries + 1);
  }

  async #read(digest: Parameters<ReturnType<EngineWorld['ports']>['store']['get']>[0]): Promise<unknown> {
    const read = await this.world.ports().store.get(digest);
    const value: unknown = read.state === 'present' ? JSON.parse(Buffer.from(read.value).toString()) : undefined;
    return isJsonObject(value) ? value : undefined;
  }
}

describe('over random graphs, failures, edits and losses', () => {
  it('no stale output is ever used, nothing runs that need not, and mending everything completes', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, steps, async (graph, history) => {
        const told = new History(graph);
        await told.run();
        for (const step of history) await told.take(step);
        told.broken.clear();
        await told.run();
        const { state } = await told.world.run(told.pipeline);
        expect(state.status).toBe('completed');
        expect(told.unneeded).toEqual([]);
      }),
      drawn(200),
    );
  });
});
