import type { Attempt, Decided, Fact, Outside, Place, Said, Shape, Standing, View } from './decision-facts.ts';

const ACTOR = 'me';

/** All that happened to two subjects, and what follows from it for attempts, gates and runs, as the documentation says. */
export class DecisionLog {
  readonly shapes: readonly Shape[];
  /** Whether the subjects are given, and so part of every request. */
  readonly isGiven: boolean;
  readonly outside: Outside;
  /** Everything that happened, in order. */
  readonly log: Fact[] = [];
  /** What was changed in contracts. */
  readonly thresholds = new Map<number, number>();
  #at = 0;
  /** The moment for which decisions are looked at; by default now. */
  #moment: number | undefined;
  /** What agents say in the call that is being looked at. */
  readonly coming = new Set<string>();

  constructor(shapes: readonly Shape[], isGiven: boolean, outside: Outside) {
    this.isGiven = isGiven;
    this.shapes = shapes;
    this.outside = outside;
  }

  /** The gate's threshold now. It is part of its contract. */
  threshold(gate: number): number {
    return this.thresholds.get(gate) ?? 80;
  }

  /** Takes down what happened. */
  note(facts: readonly Fact[]): void {
    this.log.push(...facts);
  }

  needsOf(gate: number): number[] {
    return [...new Set(this.shapes[gate]!.needs.filter((need) => need < gate))].toSorted((a, b) => a - b);
  }

  gates(): number[] {
    return this.shapes.map((_, gate) => gate);
  }

  /** The gate and everything downstream. */
  downstream(gate: number): number[] {
    const found = [gate];
    for (const one of this.gates()) if (this.needsOf(one).some((need) => found.includes(need))) found.push(one);
    return found;
  }

  exports(gate: number, said: Said): string {
    return JSON.stringify(this.shapes[gate]!.terse ? { short: said.short } : said);
  }

  isOver(subject: string, run: number): boolean {
    const isClosed = this.factsOfRun(subject, run).some((fact) => fact.what === 'decided' && fact.decision === 'close');
    return isClosed || this.views(subject, run).every(({ done }) => done) || this.wasDone(subject, run);
  }

  /** Whether all gates were done when the run's last record was made: that a decision expired since changes nothing. */
  wasDone(subject: string, run: number): boolean {
    const facts = this.factsOfRun(subject, run).filter((fact) => fact.what !== 'decided' || fact.gate !== -1);
    if (facts.length === 0 || this.#moment !== undefined) return false;
    // Those of its last call: the clock may have been set back since the calls before it.
    const last = Math.max(...facts.map(({ call }) => call));
    this.#moment = Math.max(...facts.flatMap(({ call, time }) => (call === last ? [time] : [])));
    try {
      return this.views(subject, run).every(({ done }) => done);
    } finally {
      this.#moment = undefined;
    }
  }

  isPaused(subject: string, run: number): boolean {
    const last = this.factsOfRun(subject, run).findLast(
      (fact) => fact.what === 'decided' && ['pause', 'resume'].includes(fact.decision),
    );
    return last?.what === 'decided' && last.decision === 'pause';
  }

  status(subject: string, run: number, views = this.views(subject, run)): string {
    const facts = this.factsOfRun(subject, run);
    const has = (...statuses: string[]): boolean =>
      views.some(({ done, status }) => !done && statuses.includes(status));
    if (facts.some((fact) => fact.what === 'decided' && fact.decision === 'close')) return 'error';
    if (views.every(({ done }) => done) || this.wasDone(subject, run)) return 'completed';
    if (this.isPaused(subject, run)) return 'paused';
    if (has('failed', 'lost', 'partial')) return 'error';
    return has('paused') ? 'paused' : 'executing';
  }

  /** The state of each gate of a run, by what is recorded. */
  views(
    subject: string,
    run: number,
    isWhole = (_: Attempt): boolean => true,
    requests: ReadonlyMap<number, string> = new Map(),
  ): View[] {
    const views: View[] = [];
    for (const gate of this.gates()) {
      const needs = this.needsOf(gate).map((need) => views[need]!);
      views.push(this.view({ subject, run, call: 0 }, gate, needs, isWhole, requests.get(gate)));
    }
    return views;
  }

  /** The state of one gate: by its newest request, or by the one that it has now. */
  view(
    place: Place,
    gate: number,
    needs: readonly Pick<View, 'done' | 'exports'>[],
    isWhole: (attempt: Attempt) => boolean,
    request?: string,
  ): View {
    const isReady = needs.every(({ done }) => done);
    const of = this.factsOfRun(place.subject, place.run).filter(
      (fact): fact is Attempt => fact.what !== 'decided' && fact.gate === gate,
    );
    const latest = of.at(-1);
    const standing = (one: Attempt) => this.standing(one, { until: place.run });
    const relevant = of.filter(
      (one) =>
        one.request === latest!.request &&
        one.threshold === latest!.threshold &&
        (request === undefined || one.request === request) &&
        isReady &&
        needs.every(({ exports }, index) => exports === one.given[index]) &&
        standing(one).status !== 'void',
    );
    // An agent was started again because the output was too old, or gone: what came of it takes its place.
    const again = relevant.findLast(({ how }) => how === 'ran')?.at ?? 0;
    const isOutdated = ({ at }: Attempt): boolean => this.shapes[gate]!.maxAge !== undefined && at < again;
    const ended = relevant.filter((one) => one.what === 'ended' && !isOutdated(one));
    const good = ended.findLast((one) => standing(one).isOk && isWhole(one));
    // A later output takes the place of one that was good, unless it is the same.
    // Whether one that is not good is still stored does not matter.
    const isBad = (one: Attempt): boolean => !standing(one).isOk && standing(one).status !== 'paused';
    const newest = ended.findLast((one) => one.said !== undefined && (isBad(one) || isWhole(one)));
    const best =
      JSON.stringify(newest?.said) === JSON.stringify(good?.said) || newest?.said === undefined ? good : undefined;
    const skip = this.skip(place, gate);
    if (skip !== undefined && (best?.at ?? 0) < skip) return { status: 'skipped', done: isReady, exports: null };
    const last = best ?? ended.at(-1);
    if (best === undefined && latest?.what === 'lost' && relevant.includes(latest))
      return { status: 'lost', done: false, exports: null, ...(last && { attempt: last }) };
    if (last === undefined) return { status: isReady ? 'ready' : 'blocked', done: false, exports: null };
    const { status, isOk } = standing(last);
    const exports = last.said ? this.exports(gate, last.said) : null;
    return { status, done: isOk && last === best, exports, attempt: last };
  }

  /** The skip of a run that is in force, and when it was made. */
  skip({ subject, run }: Place, gate: number): number | undefined {
    const last = this.decisions(subject, gate).findLast((one) => one.run === run && one.decision !== 'approve');
    return last?.decision === 'skip' && this.isInForce(last) ? last.at : undefined;
  }

  /**
   * What an attempt is worth now: by its own end, and by what was decided since.
   * @param about `isForReuse`: decisions of the subject that it was reused from are looked at, too; `by`: whose approvals are; `until`: those of
   *   later runs are not; `threshold`: another one than it was judged by; `request`: another one that it may answer
   */
  standing(
    attempt: Attempt,
    about: { isForReuse?: boolean; by?: string; until?: number; threshold?: number; request?: string } = {},
  ): Standing {
    const no = (status: string) => ({ status, isOk: false });
    const shape = this.shapes[attempt.gate]!;
    const { isForReuse = false, until = Infinity } = about;
    const decisions = this.since(attempt, isForReuse).filter(
      ({ run, subject }) => run <= until || subject !== attempt.subject,
    );
    const { request, said } = attempt;
    // An output that answers the first request of a loop may be decided about as the answer to its last one, and the other way round.
    const isSame = ({ about: one }: Decided, requests: readonly unknown[]): boolean =>
      one !== undefined && requests.includes(one.request) && JSON.stringify(one.said) === JSON.stringify(said);
    const isAbout = (one: Decided): boolean =>
      isSame(one, [request, about.request, ...(one.subject === attempt.subject ? [] : [originOf(attempt).request])]);
    const isVoid = (one: Decided): boolean => one.decision === 'force' || (one.decision === 'rework' && isAbout(one));
    if (decisions.some(isVoid)) return no('void');
    if (said === undefined) return no('failed');
    const words = new Map<string, Decided>();
    for (const one of decisions)
      if (isAbout(one) && this.isInForce(one)) words.set(`${one.actor} of ${one.subject}`, one);
    const standing = [...words.values()];
    if (standing.some(({ decision }) => decision === 'reject')) return no('failed');
    const isApproved = standing.some(({ subject }) => subject === (about.by ?? attempt.subject));
    const status = said.score < (about.threshold ?? attempt.threshold) ? 'partial' : 'passed';
    if (isApproved) return { status, isOk: true };
    if (status === 'partial' && shape.partial === 'block') return no('partial');
    if (status === 'partial' && shape.partial === 'pause') return no('paused');
    return shape.approval === undefined ? { status, isOk: true } : no('paused');
  }

  isInForce({ until }: Decided): boolean {
    return until === undefined || until > (this.#moment ?? this.outside.now());
  }

  /** Decisions about the gate since the agent said it. */
  since(attempt: Attempt, isForReuse: boolean): Decided[] {
    const origin = originOf(attempt);
    const isOurs = origin.subject === attempt.subject;
    const places = isOurs || !isForReuse ? [isOurs ? origin : attempt] : [origin, attempt];
    return places.flatMap((one) => this.decisions(one.subject, one.gate).filter(({ at }) => at > one.at));
  }

  /** Decisions about the gate in the subject's runs. */
  decisions(subject: string, gate: number): Decided[] {
    return this.factsOf(subject).filter((fact): fact is Decided => fact.what === 'decided' && fact.gate === gate);
  }

  isWhole({ gate, said }: Attempt): boolean {
    const texts = said === undefined ? [] : [JSON.stringify(said), this.exports(gate, said)];
    return said !== undefined && texts.every((text) => this.has(text));
  }

  has(text: string): boolean {
    return this.coming.has(text) || this.outside.has(text);
  }

  attempts(gate: number): Attempt[] {
    return this.log.filter((fact): fact is Attempt => fact.what === 'ended' && fact.gate === gate);
  }

  addDecision(place: Place, gate: number, decision: string, more: Partial<Decided> = {}): void {
    this.log.push({
      ...only(place),
      at: (this.#at += 1),
      time: this.outside.now(),
      what: 'decided',
      gate,
      decision,
      actor: ACTOR,
      ...more,
    });
  }

  addEnd(
    place: Place,
    work: Pick<Attempt, 'gate' | 'how' | 'request' | 'base' | 'given' | 'said' | 'origin'>,
  ): Attempt {
    const { subject, run, call } = place;
    const before = this.factsOfRun(subject, run).filter(
      (fact) => fact.what !== 'decided' && fact.gate === work.gate && fact.call === call,
    );
    const fact: Attempt = {
      ...only(place),
      at: (this.#at += 1),
      what: 'ended',
      n: before.length + 1,
      time: this.outside.now(),
      threshold: this.threshold(work.gate),
      ...work,
    };
    this.log.push(fact);
    return fact;
  }

  factsOf(subject: string): Fact[] {
    return this.log.filter((fact) => fact.subject === subject);
  }

  factsOfRun(subject: string, run: number): Fact[] {
    return this.factsOf(subject).filter((fact) => fact.run === run);
  }
}

function only({ subject, run, call }: Place): Place {
  return { subject, run, call };
}

/** The attempt whose agent said it. */
export function originOf(attempt: Attempt): Attempt {
  return attempt.origin ?? attempt;
}
