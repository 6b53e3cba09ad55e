import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import { digestOfJson } from '../../src/run/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../src/untrusted/json.ts';
import { engineWorld, type AgentCall, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { drawn } from '../support/test-size.ts';

const SHARED = ['x', 'y'] as const;

/** A chain of gates, each of which may edit a file that others read. */
const chains = fc.array(
  fc.record({
    reads: fc.subarray([...SHARED]),
    edits: fc.option(fc.constantFrom(...SHARED), { nil: undefined }),
    way: fc.constantFrom('files', 'changed', 'touched'),
    makes: fc.boolean(),
    terse: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('edit' as const), at: fc.nat(5), text: fc.nat(3) }),
    fc.record({
      do: fc.constantFrom('break-or-mend' as const, 'force' as const, 'commit' as const, 'run' as const),
      at: fc.nat(3),
    }),
  ),
  { maxLength: 10 },
);
type Chain = typeof chains extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

/** What a gate touches and does not hand on, no later gate may rely on. */
function withoutReliance(chain: Chain): Chain {
  const closed = new Set<string>();
  return chain.map((link) => {
    const edits = link.edits !== undefined && closed.has(link.edits) ? undefined : link.edits;
    const reads = link.reads.filter((one) => !closed.has(one));
    if (edits !== undefined && link.way === 'touched') closed.add(edits);
    return { ...link, edits, reads };
  });
}

/** The chain, and a gate that needs nothing and reads all that is shared. */
function pipelineFor(chain: Chain): Pipeline {
  const gates: Record<string, Partial<Gate>> = { reader: { inputs: [...SHARED] } };
  chain.forEach(({ reads, edits, way, makes, terse }, index) => {
    const own = [`own${index}`, ...(chain[index - 1]?.makes ? [`out/${index - 1}`] : [])];
    const handed = [...(edits !== undefined && way === 'files' ? [edits] : []), ...(makes ? [`out/${index}`] : [])];
    gates[`g${index}`] = {
      needs: index > 0 ? [`g${index - 1}`] : [],
      inputs: [...own, ...new Set([...reads, ...(edits === undefined ? [] : [edits])])],
      files: way === 'changed' ? 'changed' : handed,
      exports: terse ? ['/short'] : [''],
    };
  });
  return pipelineOf(gates);
}

/** What a gate says is made of what it was given, and of nothing else. */
function answer(chain: Chain, { unit, request, files }: AgentCall): { short: number; long: string } {
  const needs = Object.entries(request['needs'] as JsonObject).map(([key, need]) => [
    key,
    (need as JsonObject)['digest']!,
  ]);
  const long = digestOfJson([request['inputs']!, needs] as JsonValue).slice(-10);
  const link = chain[Number(unit.slice(1))];
  if (link?.edits !== undefined && !files.get(link.edits)!.includes(unit))
    files.set(link.edits, `${files.get(link.edits)!} ${unit}`);
  if (link?.makes) files.set(`out/${unit.slice(1)}`, long);
  return { short: Number.parseInt(long[0]!, 16) % 2, long };
}

class History {
  readonly pipeline: Pipeline;
  readonly world: EngineWorld;
  readonly broken = new Set<string>();
  /** Files as people wrote or committed them. */
  readonly theirs: Record<string, string>;
  readonly #chain: Chain;
  #open = false;
  #commits = 0;

  constructor(chain: Chain, files?: Readonly<Record<string, string>>) {
    this.#chain = chain;
    this.theirs = { x: 'x', y: 'y', ...Object.fromEntries(chain.map((_, index) => [`own${index}`, '0'])), ...files };
    this.pipeline = pipelineFor(chain);
    this.world = engineWorld((call) => {
      const output = answer(chain, call);
      return this.broken.has(call.unit) ? { result: { exitCode: 1 } } : { output };
    }, this.theirs);
  }

  async take(step: Step): Promise<void> {
    const gate = `g${step.at % this.#chain.length}`;
    const { workspace } = this.world;
    if (step.do === 'edit') {
      const names = Object.keys(this.theirs).toSorted();
      const name = names[step.at % names.length]!;
      // Never back to what a committed edit was made from: the edit made again is what is committed, and nobody's.
      this.theirs[name] = `${name}, edited ${step.text} after ${this.#commits}`;
      workspace.files.set(name, this.theirs[name]);
    } else if (step.do === 'break-or-mend') {
      if (!this.broken.delete(gate)) this.broken.add(gate);
    } else if (step.do === 'commit') {
      // In a run that is open, gates' edits stay theirs.
      this.#commits += 1;
      for (const name of this.#open ? [] : Object.keys(this.theirs)) {
        this.theirs[name] = workspace.files.get(name)!;
        workspace.committedFiles.set(name, this.theirs[name]);
      }
    } else await this.exports(step.do === 'force' ? [gate] : []);
  }

  /** Runs, and answers what each gate exports then. */
  async exports(gates: readonly string[] = []): Promise<Record<string, string | undefined>> {
    const force = gates.length === 0 ? {} : { force: { gates, actor: 'me', reason: 'because' } };
    const { state } = await this.world.run(this.pipeline, {}, force);
    this.#open = state.status !== 'completed';
    return Object.fromEntries([...state.units].map(([key, unit]) => [key, unit.exports?.digest]));
  }

  /** The same gates on the same files, with nothing known and nothing left behind. */
  afresh(): History {
    const fresh = new History(this.#chain, this.theirs);
    for (const [path, text] of this.world.workspace.committedFiles)
      fresh.world.workspace.committedFiles.set(path, text);
    return fresh;
  }
}

describe('over random chains of gates that edit what others read', () => {
  it('all comes out as if nothing had been there before, and then nothing is left to run', async () => {
    await fc.assert(
      fc.asyncProperty(chains, steps, async (drawn, history) => {
        const told = new History(withoutReliance(drawn));
        for (const step of history) await told.take(step);
        await told.exports();
        told.broken.clear();
        await told.exports();
        const ended = await told.exports();
        const starts = told.world.starts.length;
        expect(await told.exports()).toEqual(ended);
        expect(told.world.starts.slice(starts)).toEqual([]);
        expect(ended).toEqual(await told.afresh().exports());
      }),
      drawn(300),
    );
  });
});
