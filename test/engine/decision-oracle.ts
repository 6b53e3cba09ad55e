import { isDeepStrictEqual } from 'node:util';
import type { Attempt, Decided, Fact, Fork, Place, Said, View } from './decision-facts.ts';
import { originOf } from './decision-log.ts';
import type { Mood } from './decision-pipeline.ts';
import { DecisionReuse } from './decision-reuse.ts';

/** How a call is made. */
export interface Asked {
  readonly force?: readonly number[];
  readonly strategy?: 'retry-current' | 'retry-previous' | 'skip-current' | 'from-checkpoint';
  readonly from?: readonly number[];
  readonly keep?: boolean;
  readonly lift?: boolean;
  readonly fresh?: boolean;
  readonly fork?: Fork;
  /** The same again: the same steps for the same reason continue an earlier call that did not get to their end. */
  readonly reason?: string;
  /** How often a loop may run its target, instead of its own limit. */
  readonly most?: number;
}

/** What a call comes to for one gate. */
export interface Outcome {
  readonly choice: 'keep' | 'reuse' | 'adopt' | 'run' | 'send-back' | 'skip' | 'depends' | 'blocked';
  readonly status: string;
  readonly done: boolean;
  readonly said?: Said;
}

/** What a call comes to. */
export interface Expected extends Place {
  readonly refused?: string;
  readonly facts: readonly Fact[];
  /** Of each gate; `undefined`: the run is held. */
  readonly outcomes?: readonly Outcome[];
  /** Gates whose agents start, in order. */
  readonly started?: readonly number[];
  /** Codes of what kept agents from starting. */
  readonly errors?: readonly string[];
  readonly status: string;
}

interface Settled extends Outcome {
  /** Why no agent could be started. */
  readonly error?: string;
  readonly exports: string | null;
}

interface How {
  readonly most: number | undefined;
  readonly mood: Mood;
  readonly isKept: boolean;
}

const STOPPED = ['failed', 'lost', 'partial', 'paused'];

/** What calls and decisions come to: by the documentation, by brute force, and by nothing of the engine's. */
export class DecisionOracle extends DecisionReuse {
  /** The call that a command would be. */
  place(subject: string): Place & { readonly continues: boolean } {
    const newest = Math.max(0, ...this.factsOf(subject).map(({ run }) => run));
    const continues = newest > 0 && !this.isOver(subject, newest);
    const run = continues ? newest : newest + 1;
    return { subject, run, call: this.nextCall(subject, run), continues };
  }

  /** Whether a call would continue the run of a decision, whatever that decision was. */
  wouldContinue(decision: Fact): boolean {
    const { subject, run } = decision;
    if (this.factsOf(subject).some((one) => one.run > run)) return false;
    const isClosed = this.factsOfRun(subject, run).some(
      (one) => one !== decision && one.what === 'decided' && one.decision === 'close',
    );
    return !isClosed && !this.views(subject, run).every(({ done }) => done) && !this.wasDone(subject, run);
  }

  nextCall(subject: string, run: number): number {
    return 1 + Math.max(0, ...this.factsOf(subject).flatMap((fact) => (fact.run === run ? [fact.call] : [])));
  }

  /** What a call does, by the log: everything that it will record is in `facts`. */
  call(subject: string, asked: Asked, mood: Mood): Expected {
    const before = this.log.length;
    const result = this.#call(subject, asked, mood);
    const facts = this.log.splice(before);
    this.coming.clear();
    this.asking.clear();
    return { ...result, facts };
  }

  #call(subject: string, asked: Asked, mood: Mood): Omit<Expected, 'facts'> {
    let place = this.place(subject);
    const refuse = (refused: string) => ({ ...place, refused, status: '' });
    if (asked.fork && this.factsOfRun(asked.fork.subject, asked.fork.run).length === 0) return refuse('RUN_UNKNOWN');
    if (asked.fresh && place.continues) {
      this.addDecision(place, -1, 'close');
      place = this.place(subject);
    }
    const began = this.factsOfRun(subject, place.run).find(
      (one): one is Decided => one.what === 'decided' && !!one.fork,
    );
    // The same call again continues the run that it began.
    const isSame = isDeepStrictEqual(began?.fork, asked.fork);
    if (asked.fork && !(place.continues && isSame)) {
      if (place.continues) return refuse('RUN_OPEN');
      this.addDecision(place, -1, 'fork', { fork: asked.fork });
    }
    this.#runForkAgain(place);
    if (asked.lift) {
      if (!place.continues) return refuse(place.run === 1 ? 'RUN_NOT_OPEN' : 'RUN_COMPLETED');
      if (this.isPaused(subject, place.run)) this.addDecision(place, -1, 'resume');
    }
    const views = this.views(subject, place.run);
    const stopped = this.gates().filter((gate) => !views[gate]!.done && STOPPED.includes(views[gate]!.status));
    const { strategy = 'retry-current' } = asked;
    if ((strategy === 'retry-previous' || strategy === 'skip-current') && stopped.length === 0)
      return refuse('STRATEGY_NOTHING');
    const steps = new Map<number, string>();
    for (const gate of asked.force ?? []) steps.set(gate, 'force');
    if (strategy === 'from-checkpoint')
      for (const gate of (asked.from ?? []).flatMap((one) => this.downstream(one))) steps.set(gate, 'force');
    if (strategy === 'retry-previous')
      for (const gate of stopped)
        for (const one of this.needsOf(gate).length === 0 ? [gate] : this.needsOf(gate))
          if (one === gate || views[one]!.done) steps.set(one, 'force');
    if (strategy === 'skip-current') for (const gate of stopped) steps.set(gate, 'skip');
    const isSameIteration = strategy === 'retry-previous';
    for (const [gate, decision] of this.#due(
      place,
      asked.force ? [...steps] : [...steps].toSorted(([a], [b]) => a - b),
      views,
      asked.reason,
    ))
      this.addDecision(place, gate, decision, {
        reason: asked.reason,
        ...(decision === 'force' && { isSameIteration }),
      });
    if (this.isPaused(subject, place.run)) return { ...place, status: 'paused' };
    const kept = new Set(asked.keep ? this.gates() : []);
    for (const gate of (asked.from ?? []).flatMap((one) => this.downstream(one))) kept.delete(gate);
    const settled = this.#settleAll(place, kept, asked, mood);
    const after = this.views(subject, place.run, (one) => this.isWhole(one));
    return { ...place, ...settled, status: this.status(subject, place.run, after) };
  }

  /** The steps of a call that an earlier one with the same reason has not taken yet. */
  #due(
    { subject, run }: Place,
    steps: readonly [gate: number, decision: string][],
    views: readonly View[],
    reason: string | undefined,
  ): readonly [gate: number, decision: string][] {
    const earlier = steps.map(([gate, decision]) => {
      const last = this.decisions(subject, gate).findLast(
        (one) => !['approve', 'reject', 'rework'].includes(one.decision),
      );
      return last?.run === run && last.decision === decision && last.reason === reason ? last.at : undefined;
    });
    const known = earlier.filter((at) => at !== undefined);
    if (reason === undefined || earlier[0] === undefined) return steps;
    const hasEnded = ([gate]: readonly [number, string], at: number): boolean =>
      views[gate]!.status !== 'lost' && (views[gate]!.attempt?.at ?? 0) > at;
    const open = steps.map((step) => !hasEnded(step, Math.max(...known)));
    const continues = known.length === steps.length ? open.includes(true) : !open.includes(false);
    if (!continues) return steps;
    return steps.filter(
      (step, index) => open[index] && (earlier[index] === undefined || hasEnded(step, earlier[index])),
    );
  }

  /** Gates one after the other, each when those before it have settled; what is sent back opens again. */
  #settleAll(
    place: Place,
    kept: ReadonlySet<number>,
    { most }: Asked,
    mood: Mood,
  ): Pick<Expected, 'outcomes' | 'started' | 'errors'> {
    const outcomes: Settled[] = [];
    const started: number[] = [];
    const errors = new Set<string>();
    const awaiting = new Set<string | undefined>();
    const open = new Set(this.gates());
    while (open.size > 0)
      for (const gate of Array.from(open)) {
        if (this.needsOf(gate).some((need) => open.has(need))) continue;
        open.delete(gate);
        const outcome = this.#settle(place, gate, outcomes, { mood, most, isKept: kept.has(gate) });
        outcomes[gate] = outcome;
        if (outcome.error !== undefined) errors.add(outcome.error);
        else if (outcome.choice === 'run') started.push(gate);
        // Others that are judged with it may have failed in this call, and this one is reused.
        const cause = this.loops().find(({ gates }) => gates.includes(gate))?.cause;
        if (outcome.choice !== 'run' && outcome.choice !== 'send-back' && !awaiting.has(cause)) continue;
        for (const one of this.sendBack(place, gate, most)) open.add(one);
        if (this.isAwaiting(place, gate, most)) awaiting.add(cause);
        else awaiting.delete(cause);
        if (outcome.choice === 'run') break;
      }
    return { outcomes, started, errors: [...errors] };
  }

  /** The gate that a fork names and everything downstream run again: decided once, before anything of the run began. */
  #runForkAgain(place: Place): void {
    const facts = this.factsOfRun(place.subject, place.run);
    const fork = facts.map((fact) => (fact.what === 'decided' ? fact.fork : undefined)).find((one) => one);
    if (fork?.gate === undefined || facts.some(({ what }) => what !== 'decided')) return;
    const isKnown = (gate: number): boolean =>
      facts.some((fact) => fact.what === 'decided' && fact.gate === gate && fact.decision === 'force');
    for (const gate of this.downstream(fork.gate)) if (!isKnown(gate)) this.addDecision(place, gate, 'force');
  }

  /** What a decision about a gate comes to. */
  decided(
    place: Place,
    gate: number,
    {
      decision,
      actor,
      until,
      output,
    }: Pick<Decided, 'decision' | 'actor'> & { until: number | undefined; output: Said },
  ): Pick<Expected, 'refused' | 'facts'> {
    const before = this.log.length;
    const refuse = (refused: string) => ({ refused, facts: [] });
    const { subject, run } = place;
    const about = this.judged(place, gate);
    if (decision === 'approve' || decision === 'reject') {
      if (about === undefined) return refuse('DECISION_WITHOUT_ATTEMPT');
      const { approval } = this.shapes[gate]!;
      if (decision === 'approve' && approval?.length && !approval.includes(actor)) return refuse('APPROVER_REFUSED');
      if (decision === 'approve' && about.said === undefined) return refuse('NOTHING_TO_APPROVE');
      this.addDecision(place, gate, decision, { actor, about, ...(until !== undefined && { until }) });
    } else if (decision === 'adopt') {
      const views = this.views(subject, run);
      const needs = this.needsOf(gate).map((need) => views[need]!);
      if (!needs.every(({ done }) => done)) return refuse('ADOPT_TOO_EARLY');
      const given = needs.map((need) => need.exports);
      const { iteration: _, failed: __, ...asking } = this.askOf(place, gate, given);
      if (output.score < this.threshold(gate)) return refuse('ADOPT_REFUSED');
      this.addDecision(place, gate, decision, { actor });
      this.addEnd(place, { gate, how: 'adopted', ...asking, given, said: output });
    } else this.addDecision(place, gate, decision, { actor, ...(until !== undefined && { until }) });
    return { facts: this.log.splice(before) };
  }

  /** What a decision about a run comes to; run 0 is the newest one. */
  decidedRun(subject: string, decision: string, number: number): Pick<Expected, 'refused' | 'facts'> {
    const before = this.log.length;
    const run = number || Math.max(0, ...this.factsOf(subject).map((one) => one.run));
    const ends = decision === 'pause' || decision === 'close';
    if (this.factsOfRun(subject, run).length === 0 || (ends && this.isOver(subject, run)))
      return { refused: 'RUN_NOT_OPEN', facts: [] };
    this.addDecision({ subject, run, call: this.nextCall(subject, run) }, -1, decision);
    return { facts: this.log.splice(before) };
  }

  /** One gate in a call: the cheapest of what is allowed. */
  #settle(place: Place, gate: number, before: readonly Settled[], { mood, most, isKept }: How): Settled {
    const needs = this.needsOf(gate).map((need) => before[need]!);
    if (!needs.every(({ done }) => done)) {
      const isSkipped = this.skip(place, gate) !== undefined;
      const isStopped = needs.some(({ done, status }) => !done && status !== 'skipped' && status !== 'pending');
      const choice = isSkipped || !isStopped ? 'depends' : 'blocked';
      return { choice, status: isSkipped ? 'skipped' : isStopped ? 'blocked' : 'pending', done: false, exports: null };
    }
    const given = needs.map((need) => need.exports);
    const { iteration, failed, ...asking } = this.askOf(place, gate, given);
    const { request } = asking;
    this.asking.set(gate, request);
    const ends = (how: Attempt['how'], more: Pick<Attempt, 'said' | 'origin'>): Attempt =>
      this.addEnd(place, { gate, how, ...asking, given, ...more });
    const view = this.view(place, gate, needs, (one) => this.isWhole(one), request);
    // Of an earlier output that is the same, an approval holds; and what is said may bring back what was lost of it.
    const settled = (choice: Outcome['choice'], attempt: Attempt): Settled => {
      const now = this.view(place, gate, needs, (one) => this.isWhole(one), request);
      return this.#settled(choice, now.done ? now.attempt! : attempt);
    };
    if (view.status === 'skipped') return { choice: 'skip', status: 'skipped', done: true, exports: null };
    const isJudged = view.attempt?.threshold === this.threshold(gate);
    if (view.status === 'paused' && isJudged && this.isWhole(view.attempt))
      return this.#settled('blocked', view.attempt);
    const found = this.reusable(place, gate, request);
    if (found !== undefined && view.done && isJudged && found === view.attempt) return this.#settled('keep', found);
    if (found !== undefined) {
      const said = found.said!;
      const origin = originOf(found);
      return settled('reuse', ends('reused', { said, origin }));
    }
    const good = isKept ? this.lastGood(place.subject, gate) : undefined;
    if (good !== undefined && good.request !== request && this.isWhole(good)) {
      this.addDecision(place, gate, 'adopt');
      return settled('adopt', ends('adopted', { said: good.said! }));
    }
    if (view.attempt?.request === request && this.sendsBack(place, gate, most))
      return this.#settled('send-back', view.attempt);
    if (view.attempt?.request === request && this.awaits(place, gate, most))
      return this.#settled('blocked', view.attempt);
    // Without what failed no agent can do better.
    if (failed.some(({ said }) => !this.has(JSON.stringify(said)))) {
      return { ...settled('run', ends('ran', {})), error: 'CONTENT_MISSING' };
    }
    const read = given.map((one): unknown => (one === null ? null : JSON.parse(one)));
    const said = mood.broken.has(gate)
      ? undefined
      : this.says(gate, { text: this.outside.reads(gate), needs: read, iteration }, mood);
    if (said !== undefined) for (const text of [JSON.stringify(said), this.exports(gate, said)]) this.coming.add(text);
    return settled('run', ends('ran', said ? { said } : {}));
  }

  #settled(choice: Outcome['choice'], attempt: Attempt): Settled {
    const { gate, said } = attempt;
    const { status, isOk } = this.standing(attempt);
    return { choice, status, done: isOk, exports: said ? this.exports(gate, said) : null, ...(said && { said }) };
  }

  /** The attempt that a decision is about: in the run, or in an earlier one if the run has not reached the gate. */
  judged(place: Place, gate: number): Attempt | undefined {
    const view = this.views(place.subject, place.run)[gate]!;
    const before = this.attempts(gate).findLast((one) => one.subject === place.subject);
    const isReached = this.factsOfRun(place.subject, place.run).some(
      (one) => one.what !== 'decided' && one.gate === gate,
    );
    if (view.status === 'skipped') return before;
    return view.attempt ?? (isReached ? undefined : before);
  }
}
