import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import { pipelineOf } from '../support/pipelines.ts';
import type { Said } from './decision-facts.ts';
import { DecisionLoops } from './decision-loops.ts';

/** What agents do beside what their requests say. */
export interface Mood {
  readonly broken: ReadonlySet<number>;
  readonly weak: ReadonlySet<number>;
  readonly words: ReadonlyMap<number, number>;
}

/** What an agent is told. */
export interface Heard {
  readonly text: string;
  readonly needs: readonly unknown[];
  readonly iteration: number;
}

/** The gates of a graph as a pipeline, and what their agents say. */
export class DecisionPipeline extends DecisionLoops {
  pipeline(): Pipeline {
    const loops = this.loops();
    const groups = loops.flatMap(({ cause: id, gates: members, to, most }): Pipeline['groups'] => {
      const onFail = { goto: `g${to}`, maxIterations: most };
      return members.length > 1 ? [{ id, gates: members.map((gate) => `g${gate}`), mode: 'parallel', onFail }] : [];
    });
    const gates = this.shapes.map((shape, index): [string, Partial<Gate>] => [
      `g${index}`,
      {
        needs: this.needsOf(index).map((need) => `g${need}`),
        inputs: [`own${index}`],
        exports: shape.terse ? ['/short'] : [''],
        reuse: shape.reuse,
        maxAge: shape.maxAge,
        contract: {
          schema: undefined,
          score: '/score',
          threshold: this.threshold(index),
          partial: shape.partial,
          checks: [],
        },
        approval: shape.approval && { by: [...shape.approval], notAuthor: false, perCommit: false },
        onFail: loops.flatMap(({ gates: [one, ...more], to, most }) =>
          one === index && more.length === 0 ? [{ goto: `g${to}`, maxIterations: most }] : [],
        )[0],
      },
    ]);
    // What a gate is sent back for may depend on which gate ended first: one at a time, that is known.
    return pipelineOf(Object.fromEntries(gates), {
      groups,
      maxReworks: this.mostReworks,
      ...(loops.length > 0 && { maxParallel: 1 }),
    });
  }

  says(gate: number, { text, needs, iteration }: Heard, mood: Mood): Said {
    const word = mood.words.get(gate) ?? 0;
    const long = `${gate}-${word}-${sumOf(JSON.stringify([gate, text, needs, word, iteration]))}`;
    const { picky, back } = this.shapes[gate]!;
    const isPicky = picky && back !== undefined && this.needsOf(gate).length > 0;
    const isWeak = mood.weak.has(gate) || (isPicky && sumOf(long) % 3 > 0);
    return { long, score: isWeak ? 50 : 90, short: gate * 2 + (sumOf(long) % 2) };
  }
}

function sumOf(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)!) % 1_000_000_007;
  return sum;
}
