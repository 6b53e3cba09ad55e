import { expect } from 'vitest';
import { decide, decideRun } from '../../src/engine/decide.ts';
import type { RunOptions } from '../../src/engine/run-pipeline.ts';
import { digestOf } from '../../src/json/digest.ts';
import {
  comparePositions,
  RUN_GATE,
  type EndedRecord,
  type GatelineRecord,
  type Position,
} from '../../src/run/records/record.ts';
import { memoryKey } from '../../src/store/memory/memory-store.ts';
import { engineWorld, Killed, type EngineWorld } from '../support/engine-world.ts';
import type { Fact, Said, Shape } from './decision-facts.ts';
import { DecisionOracle, type Asked } from './decision-oracle.ts';
import { HOUR, SUBJECTS, type Step } from './decision-stories.ts';

/** A story as it is told to the engine, and held against the model. */
export class Story {
  readonly world: EngineWorld;
  readonly broken = new Set<number>();
  readonly weak = new Set<number>();
  readonly words = new Map<number, number>();
  readonly #oracle: DecisionOracle;
  #runs = 0;
  /** The call that was killed last. */
  #killed: { readonly subject: string; readonly asked: Asked } | undefined;

  constructor(graph: readonly Shape[], isGiven: boolean, mostReworks?: number) {
    this.#oracle = new DecisionOracle(graph, isGiven, {
      now: () => this.world.clock.getTime(),
      reads: (index) => this.world.workspace.folder.get(`own${index}`)!,
      has: (text) => this.world.medium.contents.has(digestOf(Buffer.from(text))),
    });
    this.#oracle.mostReworks = mostReworks;
    this.world = engineWorld(
      ({ unit, request, files }) => {
        const index = Number(unit.slice(1));
        if (this.broken.has(index)) return { result: { exitCode: 1 } };
        const given = request['needs'] as Record<string, { output?: unknown }>;
        const needs = this.#oracle.needsOf(index).map((need) => given[`g${need}`]?.output ?? null);
        const { iteration } = (request['rework'] ?? { iteration: 1 }) as { iteration: number };
        const heard = { text: files.get(`own${index}`)!, needs, iteration };
        return { output: { ...this.#oracle.says(index, heard, this) } };
      },
      Object.fromEntries(graph.map((_, index) => [`own${index}`, '0'])),
      { acrossSubjects: true },
    );
  }

  async take(step: Step): Promise<void> {
    const index = 'gate' in step ? this.#gate(step.gate) : 0;
    if (step.do === 'edit') this.world.workspace.folder.set(`own${index}`, String(step.text));
    else if (step.do === 'break') this.broken.add(index);
    else if (step.do === 'mend') this.broken.delete(index);
    else if (step.do === 'weaken') this.weak.add(index);
    else if (step.do === 'strengthen') this.weak.delete(index);
    else if (step.do === 'contract') this.#oracle.thresholds.set(index, step.threshold);
    else if (step.do === 'word') this.words.set(index, step.text);
    else if (step.do === 'wait') this.world.clock = new Date(this.world.clock.getTime() + step.hours * HOUR);
    else if (step.do === 'lose') await this.#lose(step.which);
    else if (step.do === 'decide') await this.#decide(step.subject, index, step);
    else if (step.do === 'decide-run') await this.#decideRun(step);
    else if (step.do === 'call') await this.call(step.subject, this.#asked(step.asked));
    else if (step.do === 'again') await this.#again();
    else if (step.do === 'kill') await this.#kill(step.subject, this.#asked(step.asked), step.after);
  }

  /** A call to its end, held against the model. */
  async call(name: string, asked: Asked = {}, problems: readonly string[] = ['OUTPUT_MISSING']): Promise<void> {
    const { world } = this;
    const how = this.#withReason(asked);
    const expected = this.#oracle.call(name, how, this);
    const before = world.starts.length;
    const ran = await this.#run(name, how).then(
      (result) => ({ result }),
      (error: unknown) => ({ code: codeOf(error) }),
    );
    this.#oracle.note(expected.facts);
    if ('code' in ran) {
      expect(ran.code).toBe(expected.refused);
      return;
    }
    const { state, planned, errors, call } = ran.result;
    const codes = errors.map(({ code }) => code);
    expect({ refused: undefined, codes }).toEqual({ refused: expected.refused, codes: expected.errors ?? [] });
    expect([call.runNumber, call.runAttempt]).toEqual([expected.run, expected.call]);
    const { outcomes = [], started: due = [] } = expected;
    const byKey = new Map(planned.map((one) => [one.key, one]));
    expect(outcomes.map((_, index) => byKey.get(`g${index}`)?.choice)).toEqual(outcomes.map(({ choice }) => choice));
    const started = world.starts.slice(before).map((start) => start.split('#')[0]!);
    expect(started.toSorted()).toEqual(due.map((one) => `g${one}`).toSorted());
    const units = [...state.units.values()];
    if (outcomes.length > 0) {
      expect(units.map(({ done }) => done)).toEqual(outcomes.map(({ done }) => done));
      expect(
        units.map(({ status }, index) =>
          outcomes[index]!.status === 'blocked' && status === 'pending' ? 'blocked' : status,
        ),
      ).toEqual(outcomes.map(({ status }) => status));
    }
    for (const [index, { said, choice }] of outcomes.entries())
      if (said !== undefined && choice !== 'blocked') expect(await this.#value(units[index]!.ended)).toEqual(said);
    expect(state.status).toBe(expected.status);
    expect(state.problems.filter(({ code }) => !problems.includes(code))).toEqual([]);
  }

  /** The command that was killed, once more: to its end. */
  async #again(): Promise<void> {
    if (this.#killed !== undefined) await this.call(this.#killed.subject, this.#killed.asked);
  }

  /** Never the same, unless it is given: each run asks for something new. */
  #withReason(how: Asked): Asked {
    this.#runs += 1;
    return { reason: `because ${this.#runs}`, ...how };
  }

  async #kill(name: string, asked: Asked, dieAfter: number): Promise<void> {
    const how = this.#withReason(asked);
    this.#killed = { subject: name, asked: how };
    const expected = this.#oracle.call(name, how, this);
    const known = await this.#names();
    await this.#run(name, how, dieAfter).catch((error: unknown) => {
      if (!(error instanceof Killed)) expect(codeOf(error)).toBe(expected.refused);
    });
    const fresh = (await this.#names()).difference(known);
    const foreseen = new Map(expected.facts.map((fact) => [nameOf(fact), fact]));
    const begun = new Map(expected.facts.map((fact) => [nameOf(fact, 'started'), fact]));
    for (const one of fresh) expect([...foreseen.keys(), ...begun.keys()]).toContain(one);
    this.#oracle.note(
      expected.facts.flatMap((fact): Fact[] => {
        if (fresh.has(nameOf(fact))) return [fact];
        if (fact.what !== 'ended' || !fresh.has(nameOf(fact, 'started'))) return [];
        const { said: _, ...rest } = fact;
        return [{ ...rest, what: 'lost' }];
      }),
    );
  }

  /**
   * A record that cannot be read is neither absent nor present: its number stays taken, an end that it may be is not used,
   * and nothing is used that was made before a decision that it may be.
   */
  async damage(which: number): Promise<void> {
    const { records } = this.world.medium;
    const before = (await this.#records()).filter(({ gate }) => gate !== RUN_GATE);
    const lost = before[which % before.length]!;
    const key = memoryKey(lost);
    records.set(key, { ...records.get(key)!, bytes: 'unreadable' });
    for (const name of SUBJECTS) {
      const { call, planned, errors } = await this.#run(name, {});
      expect(errors.filter(({ code }) => code !== 'CONTENT_MISSING')).toEqual([]);
      if (lost.subject === name) expect(comparePositions({ ...call, n: 0 }, { ...lost, n: 0 })).toBeGreaterThan(0);
      for (const { choice, gate, from } of planned) {
        if (gate !== lost.gate || from === undefined || (choice !== 'keep' && choice !== 'reuse')) continue;
        const home = from.subject ?? name;
        const used = before.find(
          (one) =>
            one.kind === 'ended' && one.subject === home && one.gate === gate && comparePositions(one, from) === 0,
        );
        if (used?.kind !== 'ended') continue;
        expectUnaffected(used, lost, name);
        // Of a loop with such a decision nobody knows whether it ended well.
        const isOfLoop = used.rework && lost.kind === 'decided' && lost.rework && lost.runNumber === used.runNumber;
        if (isOfLoop && lost.subject === home) expect([name, call.runNumber]).toEqual([home, used.runNumber]);
      }
    }
  }

  /** One more decision about a run. */
  async decideRun(which: number): Promise<void> {
    const subject = SUBJECTS[which % SUBJECTS.length]!;
    const decision = (['pause', 'close', 'pin', 'unpin'] as const)[which % 4]!;
    await this.#decideRun({ do: 'decide-run', subject, decision, run: 0 });
  }

  /**
   * A decision about a run that cannot be read may be a pause: that run starts nothing as long as it is not over anyway.
   * Other runs, and other subjects, are as they would be.
   */
  async damageRun(which: number): Promise<void> {
    const decided = (await this.#records()).filter(({ gate }) => gate === RUN_GATE);
    const lost = decided[which % decided.length];
    if (lost === undefined) return;
    const { records } = this.world.medium;
    const key = memoryKey(lost);
    records.set(key, { ...records.get(key)!, bytes: 'unreadable' });
    const fact = this.#oracle.log.find((one) => nameOf(one) === recordName(lost))!;
    for (const name of SUBJECTS) {
      if (lost.subject !== name || !this.#oracle.wouldContinue(fact)) {
        await this.call(name, {}, ['OUTPUT_MISSING', 'UNREADABLE_RECORD']);
        continue;
      }
      const before = this.world.starts.length;
      const { call, planned, state } = await this.#run(name, {});
      expect([call.runNumber, planned, this.world.starts.slice(before)]).toEqual([lost.runNumber, [], []]);
      expect(state.decided.unread).toBeDefined();
    }
  }

  #run(name: string, how: Asked, dieAfter = Infinity) {
    const from = how.from?.map((one) => `g${one}`) ?? [];
    const { force, strategy, fresh, fork, lift, most: maxIterations, reason = 'because' } = how;
    const resume: RunOptions['resume'] = {
      actor: 'me',
      reason,
      ...(force && { force: force.map((one) => `g${one}`) }),
      ...(strategy && { strategy, from }),
      ...(fresh && { fresh }),
      ...(lift && { lift }),
      ...(fork && {
        fork: { subject: fork.subject, runNumber: fork.run, ...(fork.gate !== undefined && { gate: `g${fork.gate}` }) },
      }),
    };
    const dropped = new Set(how.from?.flatMap((one) => this.#oracle.downstream(one)));
    const gates = new Set(
      this.#oracle
        .gates()
        .filter((one) => !dropped.has(one))
        .map((one) => `g${one}`),
    );
    const keep = how.keep ? { keep: { gates, actor: 'me', reason: 'because' } } : {};
    return this.world.run(
      this.#oracle.pipeline(),
      { ...this.#assignment(name), maxIterations, ...keep },
      { resume, dieAfter },
    );
  }

  async #decide(name: string, index: number, step: Step & { do: 'decide' }): Promise<void> {
    const { decision, actor: who } = step;
    const place = this.#oracle.place(name);
    const until =
      step.expires && (decision === 'approve' || decision === 'skip')
        ? this.world.clock.getTime() + HOUR / 2
        : undefined;
    const output: Said = { long: `${index}-by-${who}`, score: 90, short: index * 2 + 1 };
    const expected = this.#oracle.decided(place, index, { decision, actor: who, until, output });
    const code = await decide(this.world.ports(), this.#assignment(name), {
      decision,
      gates: [`g${index}`],
      actor: who,
      reason: 'because',
      ...(until !== undefined && { until: new Date(until).toISOString() }),
      ...(decision === 'adopt' && { output: { ...output } }),
    }).then(() => undefined, codeOf);
    expect(code).toBe(expected.refused);
    this.#oracle.note(expected.facts);
  }

  async #decideRun(step: Step & { do: 'decide-run' }): Promise<void> {
    const expected = this.#oracle.decidedRun(step.subject, step.decision, step.run);
    const code = await decideRun(this.world.ports(), this.#assignment(step.subject), {
      decision: step.decision,
      ...(step.run > 0 && { runNumber: step.run }),
      actor: 'me',
      reason: 'because',
    }).then(() => undefined, codeOf);
    expect(code).toBe(expected.refused);
    this.#oracle.note(expected.facts);
  }

  #assignment(name: string) {
    const pipeline = this.#oracle.pipeline();
    return { pipeline, subject: name, isDefaultSubject: !this.#oracle.isGiven, metadata: {}, input: null };
  }

  #gate(index: number): number {
    return index % this.#oracle.shapes.length;
  }

  #asked(how: Asked): Asked {
    const { force, from, fork } = how;
    return {
      ...how,
      ...(force && { force: [...new Set(force.map((one) => this.#gate(one)))] }),
      ...(from && { from: [...new Set(from.map((one) => this.#gate(one)))] }),
      ...(fork && {
        fork: { subject: fork.subject, run: fork.run, ...(fork.gate !== undefined && { gate: this.#gate(fork.gate) }) },
      }),
    };
  }

  /** An output that some attempt refers to is gone. */
  async #lose(which: number): Promise<void> {
    const digests = (await this.#records()).flatMap((record) =>
      record.kind === 'ended' ? [record.value, record.exports].flatMap((one) => (one ? [one.digest] : [])) : [],
    );
    if (digests.length > 0) this.world.medium.contents.delete(digests[which % digests.length]!);
  }

  async #records(): Promise<readonly GatelineRecord[]> {
    const { store } = this.world.ports();
    return (await Promise.all(SUBJECTS.map((name) => store.list('test', name)))).flatMap(({ records }) => records);
  }

  async #names(): Promise<Set<string>> {
    const records = await this.#records();
    return new Set(records.map((one) => recordName(one)));
  }

  async #value(ended: { value?: { digest: string } | undefined } | undefined): Promise<Said | undefined> {
    const bytes = ended?.value && this.world.medium.contents.get(ended.value.digest as ReturnType<typeof digestOf>);
    return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Said);
  }
}

function recordName(record: GatelineRecord): string {
  const { subject, runNumber, runAttempt, gate, n } = record;
  const { cause, iteration } = (record.kind === 'decided' && record.rework) || {};
  const kind = record.kind === 'decided' ? [record.decision, cause, iteration] : [record.kind, n];
  return [subject, runNumber, runAttempt, gate === RUN_GATE ? -1 : gate.slice(1), ...kind].join('.');
}

function nameOf(fact: Fact, kind: 'ended' | 'started' = 'ended'): string {
  const { subject, run, call, gate } = fact;
  const what =
    fact.what === 'decided' ? [fact.decision, fact.rework?.cause, fact.rework?.times] : [kind, String(fact.n)];
  return [subject, run, call, gate, ...what].join('.');
}

/** @param name the subject that uses the output */
function expectUnaffected(used: EndedRecord, lost: GatelineRecord, name: string): void {
  expect(used).not.toBe(lost);
  if (lost.kind !== 'decided') return;
  const isOurs = used.source?.subject === undefined;
  // Decisions of a subject have no place in the order of another one.
  if (lost.subject === name) expect(used.subject).toBe(name);
  if (lost.subject === used.subject) expectAfter((isOurs && used.source) || used, lost);
  if (lost.subject === used.source?.subject) expectAfter(used.source, lost);
}

function expectAfter(made: Position, decided: Position): void {
  expect(comparePositions(made, decided), 'an output was used although a later decision is unknown').toBeGreaterThan(0);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}
