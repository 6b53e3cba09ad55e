import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Digest } from '../../src/json/digest.ts';
import { comparePositions, type EndedRecord, type GatelineRecord } from '../../src/run/records/record.ts';
import { engineWorld, Killed, type EngineWorld } from '../support/engine-world.ts';
import { drawn } from '../support/test-size.ts';
import { HistoryOracle, put, SHARED, type Said, type Shape } from './history-oracle.ts';

const MOST_GATES = 7;

const shapes: fc.Arbitrary<Shape[]> = fc.array(
  fc.record({
    needs: fc.array(fc.nat(MOST_GATES - 1), { maxLength: 3 }),
    reads: fc.constantFrom('own' as const, 'shared' as const, 'whole' as const),
    edits: fc.array(
      fc.record({
        path: fc.constantFrom(...SHARED),
        to: fc.constantFrom('told' as const, 'constant' as const, 'gone' as const),
      }),
      { maxLength: 2 },
    ),
    files: fc.constantFrom<Shape['files']>('changed', ['s/**'], ['s/**'], ['s/d/**'], []),
    terse: fc.boolean(),
    retries: fc.nat(1),
  }),
  { minLength: 1, maxLength: MOST_GATES },
);

/** What happens between two calls, and calls. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('own' as const), gate: fc.nat(6), text: fc.nat(2) }),
    fc.record({
      do: fc.constant('shared' as const),
      path: fc.constantFrom(...SHARED),
      text: fc.option(fc.nat(1), { freq: 3 }),
    }),
    fc.record({
      do: fc.constantFrom('break' as const, 'mend' as const, 'force' as const, 'apply' as const),
      gate: fc.nat(6),
    }),
    fc.record({ do: fc.constant('lose' as const), which: fc.nat(1_000) }),
    fc.record({ do: fc.constant('kill' as const), after: fc.nat(120) }),
    fc.record({ do: fc.constant('run' as const), during: fc.option(fc.record({ gate: fc.nat(6), text: fc.nat(1) })) }),
  ),
  { minLength: 1, maxLength: 12 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

class History {
  readonly world: EngineWorld;
  readonly broken = new Set<string>();
  readonly #oracle: HistoryOracle;
  /** The user's files, as only the user changes them. */
  readonly #user: Map<string, string>;
  /** What happens to the user's folder when this gate starts. */
  #during: { readonly gate: number; readonly text: number } | undefined;

  constructor(oracle: HistoryOracle) {
    this.#oracle = oracle;
    this.#user = new Map(Object.entries(oracle.files()));
    this.world = engineWorld(({ unit, request, files }) => {
      if (unit === `g${this.#during?.gate}`) this.#write('s/x', `edited during ${this.#during!.text}`);
      const index = Number(unit.slice(1));
      const needs = request['needs'] as Record<string, { output: unknown }>;
      const said = oracle.says(
        index,
        files,
        oracle.needsOf(index).map((need) => needs[`g${need}`]!.output),
      );
      oracle.edit(index, files, said);
      return this.broken.has(unit) ? { result: { exitCode: 1 } } : { output: { ...said } };
    }, oracle.files());
  }

  async take(step: Step): Promise<void> {
    const gate = 'gate' in step ? step.gate % this.#oracle.shapes.length : 0;
    if (step.do === 'own') this.#write(`own${gate}`, String(step.text));
    else if (step.do === 'shared') this.#write(step.path, step.text === null ? null : `text ${step.text}`);
    else if (step.do === 'break') this.broken.add(`g${gate}`);
    else if (step.do === 'mend') this.broken.delete(`g${gate}`);
    else if (step.do === 'apply') await this.#apply(`g${gate}`);
    else if (step.do === 'lose') await this.#lose(step.which);
    else if (step.do === 'kill') await this.#kill(step.after);
    else if (step.do === 'force') await this.run([`g${gate}`]);
    else if (step.do === 'run') await this.run([], step.during ?? undefined);
  }

  /** A call to its end, held against the model. */
  async run(force: readonly string[] = [], during?: { readonly gate: number; readonly text: number }): Promise<void> {
    const { world } = this;
    const answered = await this.#answered(force);
    const expected = this.#oracle.call(this.#user, this.broken, (said) => answered.has(said.long));
    const before = world.starts.length;
    this.#during = during;
    const options = force.length === 0 ? {} : { resume: { force, actor: 'me', reason: 'because' } };
    const { state, errors } = await world.run(this.#oracle.pipeline(), {}, options);
    this.#during = undefined;
    const units = [...state.units.values()];
    const codes = errors.map(({ code }) => code);
    expect(new Set(codes).difference(new Set(['FILES_CONFLICT']))).toEqual(new Set());
    expect(codes).toHaveLength(expected.filter((one) => one.state === 'conflict').length);
    expect(units.map(({ done }) => done)).toEqual(expected.map((one) => one.state === 'done'));
    const started = world.starts.slice(before).map((start) => start.split('#')[0]!);
    const due = expected.flatMap(({ starts }, index) => Array.from({ length: starts }, () => `g${index}`));
    expect(started.toSorted()).toEqual(due.toSorted());
    for (const [index, { said }] of expected.entries())
      if (said !== undefined) expect(await this.#value(units[index]!.ended!)).toEqual(said);
    expect(state.problems.filter(({ code }) => code !== 'OUTPUT_MISSING')).toEqual([]);
    this.#expectUntouched();
    expect(world.workspace.trees).toEqual([]);
  }

  async #kill(after: number): Promise<void> {
    await this.world.run(this.#oracle.pipeline(), {}, { dieAfter: after }).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    this.#expectUntouched();
  }

  #expectUntouched(): void {
    expect(Object.fromEntries(this.world.workspace.folder)).toEqual(Object.fromEntries(this.#user));
  }

  #write(path: string, text: string | null): void {
    for (const files of [this.#user, this.world.workspace.folder]) {
      if (text === null) files.delete(path);
      else put(files, path, text);
    }
  }

  /** The user takes over what a gate handed on last. */
  async #apply(gate: string): Promise<void> {
    const last = (await this.#records()).findLast((record) => record.kind === 'ended' && record.gate === gate);
    if (last?.kind !== 'ended') return;
    for (const { path, after } of last.files) {
      const text = after?.content && this.#text(after.content.digest);
      if (after === null) this.#write(path, null);
      else if (text !== undefined) this.#write(path, text);
    }
  }

  /** A content that some attempt refers to is gone: one that no other gate could bring back. */
  async #lose(which: number): Promise<void> {
    const own = (await this.#records()).flatMap((record) => {
      if (record.kind !== 'ended') return [];
      const files = record.files.flatMap(({ after }) => (after?.content === undefined ? [] : [after.content]));
      const told = files.filter(({ digest }) => this.#text(digest)?.includes(` by ${record.gate.slice(1)}-`));
      return [...(record.value ? [record.value] : []), ...told];
    });
    if (own.length > 0) this.world.medium.contents.delete(own[which % own.length]!.digest);
  }

  /** What agents said in attempts that still hold: passed, kept as a whole, and not forced since. */
  async #answered(force: readonly string[]): Promise<Set<string>> {
    const records = await this.#records();
    const answered = new Set<string>();
    for (const record of records) {
      if (record.kind !== 'ended' || record.verdict.status !== 'passed' || force.includes(record.gate)) continue;
      const isForced = records.some(
        (other) => other.kind === 'decided' && other.gate === record.gate && comparePositions(other, record) > 0,
      );
      const isWhole = contentsOf(record).every((digest) => this.world.medium.contents.has(digest));
      if (!isForced && isWhole) answered.add((await this.#value(record))!.long);
    }
    return answered;
  }

  async #records(): Promise<readonly GatelineRecord[]> {
    return (await this.world.ports().store.list('test', 'subject')).records;
  }

  async #value({ value }: EndedRecord): Promise<Said | undefined> {
    const text = value && this.#text(value.digest);
    return text === undefined ? undefined : (JSON.parse(text) as Said);
  }

  #text(digest: Digest): string | undefined {
    const bytes = this.world.medium.contents.get(digest);
    return bytes && Buffer.from(bytes).toString();
  }
}

function contentsOf({ value, exports, files }: EndedRecord) {
  const contents = [value, exports, ...files.map(({ after }) => after?.content)];
  return contents.flatMap((content) => (content === undefined ? [] : [content.digest]));
}

describe('over random graphs, edits by users and agents, failures, kills and losses', () => {
  it(
    'every call comes to what the model says: no stale output, no needless start, nothing of gates that are not upstream',
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(shapes, steps, async (graph, history) => {
          const told = new History(new HistoryOracle(graph));
          await told.run();
          for (const step of history) await told.take(step);
          told.broken.clear();
          await told.run();
          const starts = told.world.starts.length;
          await told.run();
          expect(told.world.starts.slice(starts)).toEqual([]);
        }),
        drawn(300),
      );
    },
  );
});
