import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMemoryStore,
  decide,
  definePipeline,
  exportFiles,
  importFiles,
  localPorts,
  readRun,
  type Assignment,
  type EnginePorts,
  type JsonValue,
  type SourceFile,
} from '../../src/index.ts';
import { resultOf } from '../../src/run/state/run-state.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { drawn } from '../support/samples.ts';
import { jsonValues } from '../verdict/json-values.ts';

const BY = { actor: 'ann@example.com', reason: 'we move' };

/** A gate: the gates before it that it needs, and its output; none: it is not done. */
interface DrawnGate {
  readonly id: string;
  readonly agent: string | undefined;
  readonly needs: readonly string[];
  readonly output: JsonValue | undefined;
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const hostile = fc.constantFrom(
  '---',
  '::endgroup::',
  '```',
  '__proto__',
  '# x',
  ': y',
  '"',
  "'",
  '-',
  'null',
  '\u2028',
);
const texts = fc.oneof(text, hostile).filter((one) => one.trim() !== '');

const gateIds = fc.uniqueArray(
  fc.oneof(
    fc.stringMatching(/^[a-z_][a-z0-9_-]{0,12}$/),
    fc.constantFrom('constructor', 'null', 'true', 'gate-1', '_'),
  ),
  { minLength: 1, maxLength: 6 },
);

/** Runs in any state: a gate is done only where what it needs is done. Without any, there is no run. */
const runs: fc.Arbitrary<readonly DrawnGate[]> = gateIds.chain((ids) =>
  fc
    .tuple(
      ...ids.map((id, index) =>
        fc.record({
          id: fc.constant(id),
          agent: fc.option(texts, { nil: undefined }),
          needs: fc.subarray(ids.slice(0, index)),
          output: fc.option(
            fc.oneof(
              jsonValues,
              texts.map((message) => ({ message, result: message })),
            ),
            {
              nil: undefined,
            },
          ),
        }),
      ),
    )
    .map((gates) => {
      const done = new Set<string>();
      return gates.map((gate) => {
        const isDone = gate.output !== undefined && gate.needs.every((need) => done.has(need));
        if (isDone) done.add(gate.id);
        return isDone ? gate : { ...gate, output: undefined };
      });
    })
    .filter((gates) => gates.some(({ output }) => output !== undefined)),
);

const places = fc.array(fc.nat(9), { minLength: 6, maxLength: 6 });

let workspace: ScratchWorkspace;
beforeAll(async () => {
  workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
});
afterAll(() => workspace[Symbol.asyncDispose]());

interface Setting {
  readonly ports: EnginePorts;
  readonly assignment: Assignment;
}

/** @param places of the gates in the definition, which may have a gate above one that it needs */
async function settingOf(gates: readonly DrawnGate[], places: readonly number[], task: string): Promise<Setting> {
  const inFile = gates.toSorted((a, b) => places[gates.indexOf(a)]! - places[gates.indexOf(b)]!);
  const definitions = inFile.map(({ id, agent, needs }) => [
    id,
    { inputs: [], run: 'exit 1', needs: [...needs], ...(agent !== undefined && { agent }) },
  ]);
  const pipeline = definePipeline({ pipeline: 'drawn', task, gates: Object.fromEntries(definitions) });
  const place = { root: workspace.root, isDefault: true, pipeline };
  const ports = await localPorts({ place, environment: plainEnvironment(), store: createMemoryStore() });
  return { ports, assignment: { pipeline, subject: 'drawn', metadata: {}, input: null, task } };
}

/** Which gates passed, and the outputs that they have. */
async function passedIn({ ports, assignment }: Setting): Promise<Record<string, JsonValue>> {
  const { units } = await readRun(ports, assignment);
  const passed = [...units.values()].filter(({ status }) => status === 'passed');
  const entries = passed.map(async (unit): Promise<[string, JsonValue]> => {
    const value = resultOf(unit)?.value;
    const read = value && (await ports.store.get(value.digest));
    return [unit.key, read?.state === 'present' ? (JSON.parse(Buffer.from(read.value).toString()) as JsonValue) : null];
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe.each(['state-guide', 'nexus', 'agent-flow'] as const)('any run, written as %s', (system) => {
  it('has the same gates passed when it is read', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(runs, places, texts, async (gates, at, task) => {
        const here = await settingOf(gates, at, task);
        for (const { id, output } of gates)
          if (output !== undefined)
            await decide(here.ports, here.assignment, { decision: 'adopt', gates: [id], output, ...BY });
        const before = await passedIn(here);
        const done = gates.flatMap(({ id, output }) => (output === undefined ? [] : [id]));
        expect(Object.keys(before).toSorted()).toEqual(done.toSorted());
        const { files } = await exportFiles(here.ports, here.assignment, system);
        const sources = files.map(({ path, text: content }): SourceFile => {
          return { path, bytes: Buffer.from(content), modified: 1 };
        });
        const there = await settingOf(gates, at, task);
        await importFiles(there.ports, there.assignment, system, sources, BY);
        const after = await passedIn(there);
        expect(Object.keys(after)).toEqual(Object.keys(before));
        // Agent-flow has a word and a sentence for each gate, not its output.
        if (system !== 'agent-flow') expect(after).toEqual(before);
      }),
      drawn(100),
    );
  });
});
