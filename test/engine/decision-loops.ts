import type { Attempt, Decided, Place, View } from './decision-facts.ts';
import { DecisionLog } from './decision-log.ts';

/** A gate, or several that are judged together, that sends work back. */
interface Loop {
  readonly cause: string;
  readonly gates: readonly number[];
  readonly to: number;
  readonly most: number;
}

/** What is asked of a gate now. */
export interface Asking {
  readonly request: string;
  /** Its work was sent back: the request without that. */
  readonly base?: string;
  readonly iteration: number;
  /** What failed and sent it back. */
  readonly failed: readonly Attempt[];
}

/** The log, and work that is sent back: who sends it, how often, and what is asked then. */
export class DecisionLoops extends DecisionLog {
  /** How often the loops of a run may send work back in all; `undefined`: no limit. */
  mostReworks: number | undefined;
  /** What gates are asked in the call that is being looked at. */
  readonly asking = new Map<number, string>();

  /** What a gate is asked: if its work was sent back, which time it is, and what failed on it. */
  askOf({ subject, run }: Place, gate: number, given: readonly (string | null)[]): Asking {
    const own = [gate, this.isGiven ? subject : null, this.outside.reads(gate), given];
    const base = JSON.stringify(own);
    const reworks = this.reworks(subject, run, gate);
    if (reworks.length === 0) return { request: base, iteration: 1, failed: [] };
    const iteration = 1 + new Set(reworks.map(({ about }) => about)).size;
    const round = reworks.filter(({ about }) => about === reworks.at(-1)!.about);
    const failed = round.flatMap(({ rework }) => rework!.from);
    const told = failed.toSorted((a, b) => a.gate - b.gate).map((one) => [one.gate, one.said, one.threshold]);
    return { request: JSON.stringify([...own, iteration, told]), base, iteration, failed };
  }

  /** How a gate's work was sent back in a run since a person asked for a new beginning. */
  reworks(subject: string, run: number, gate: number): Decided[] {
    const decisions = this.decisions(subject, gate).filter((one) => one.run === run);
    const anew = decisions.findLastIndex(({ decision, isSameIteration }) => decision === 'force' && !isSameIteration);
    return decisions.slice(anew + 1).filter(({ decision }) => decision === 'rework');
  }

  /** Whether the gates that sent the work back passed in the end, or were let pass in that run. */
  endedWell({ subject, run, gate }: Attempt, isOurs: boolean): boolean {
    const causes = this.reworks(subject, run, gate).flatMap(({ rework }) => rework!.from.map((one) => one.gate));
    return causes.every((cause) => {
      const last = this.attempts(cause).findLast((one) => one.subject === subject && one.run === run);
      if (last?.said === undefined) return false;
      if (last.said.score >= last.threshold || this.standing(last, { until: run }).isOk) return true;
      // An approval that came later says so, too, for its own subject.
      return isOurs && this.standing(last).isOk;
    });
  }

  /** Whether a gate's failure would send work back now. */
  sendsBack(place: Place, gate: number, most: number | undefined): boolean {
    const loop = this.loops().find(({ gates }) => gates.includes(gate));
    return loop !== undefined && this.#judged(place, loop, most) !== undefined;
  }

  /** Whether a gate's failure would send work back when the others that are judged with it have ended, too. */
  awaits(place: Place, gate: number, most: number | undefined): boolean {
    const loop = this.loops().find(({ gates }) => gates.includes(gate));
    const judged = loop && this.#judged(place, loop, most, true);
    return judged !== undefined && judged.from.some((one) => one.gate === gate);
  }

  /** Whether work would be sent back when the gates that are judged with a gate have ended, too. */
  isAwaiting(place: Place, gate: number, most: number | undefined): boolean {
    const loop = this.loops().find(({ gates }) => gates.includes(gate));
    return loop !== undefined && this.#judged(place, loop, most, true) !== undefined;
  }

  /**
   * After a gate of a loop has ended: work is sent back once for all loops with the same target.
   * @returns the gates that are to do their work again
   */
  sendBack(place: Place, gate: number, most: number | undefined): readonly number[] {
    const to = this.loops().find(({ gates }) => gates.includes(gate))?.to;
    if (to === undefined) return [];
    const judged = this.loops().flatMap((loop) => (loop.to === to && this.#judged(place, loop, most)) || []);
    for (const { about, ...rework } of judged) this.addDecision(place, to, 'rework', { about, rework });
    return judged.length === 0 ? [] : this.downstream(to);
  }

  /** Who sends work back. Gates that are judged together have one target upstream of all of them. */
  loops(): Loop[] {
    const together = this.#together();
    const single = this.gates().flatMap((gate): Loop[] => {
      const { back } = this.shapes[gate]!;
      const upstream = this.upstream(gate);
      if (back === undefined || upstream.length === 0 || together?.gates.includes(gate)) return [];
      return [{ cause: `g${gate}`, gates: [gate], to: upstream[back.to % upstream.length]!, most: back.most }];
    });
    return together ? [together, ...single] : single;
  }

  upstream(gate: number): number[] {
    return this.gates().filter((one) => one !== gate && this.downstream(one).includes(gate));
  }

  #together(): Loop | undefined {
    const gates: number[] = [];
    for (const gate of this.gates()) {
      const upstream = this.upstream(gate);
      const isFree = upstream.length > 0 && !upstream.some((one) => gates.includes(one));
      if (this.shapes[gate]!.grouped && isFree) gates.push(gate);
    }
    const back = gates.map((gate) => this.shapes[gate]!.back).find((one) => one !== undefined);
    const common = this.gates().filter((one) => gates.every((gate) => this.upstream(gate).includes(one)));
    if (gates.length < 2 || back === undefined || common.length === 0) return undefined;
    return { cause: 'together', gates, to: common[back.to % common.length]!, most: back.most };
  }

  /** Whether a gate is not done, and has not failed. What was good enough and is gone has not failed. */
  #isOpen({ status, attempt }: View): boolean {
    if (['ready', 'blocked', 'lost', 'paused'].includes(status)) return true;
    return attempt !== undefined && status !== 'failed' && this.standing(attempt, { until: attempt.run }).isOk;
  }

  /** Whether a gate that is not done ends without anybody's help. */
  #comesYet(views: readonly View[], gate: number): boolean {
    const { status, attempt } = views[gate]!;
    if (status === 'blocked') return !this.#isStopped(views, gate);
    if (status !== 'paused') return true;
    const { said, threshold } = attempt!;
    return !this.#isKnownWhole(attempt!) && (said!.score >= threshold || this.shapes[gate]!.partial === 'continue');
  }

  /** That an output is gone is found out when its gate is looked at. */
  #isKnownWhole(attempt: Attempt): boolean {
    return !this.asking.has(attempt.gate) || this.isWhole(attempt);
  }

  /** Whether a gate that a gate needs has ended and is not done. */
  #isStopped(views: readonly View[], gate: number): boolean {
    return this.needsOf(gate).some((need) => {
      const view = views[need]!;
      if (view.done || view.status === 'ready' || view.status === 'skipped') return false;
      if (view.status === 'blocked') return this.#isStopped(views, need);
      return view.status === 'lost' || !this.#isOpen(view) || !this.#comesYet(views, need);
    });
  }

  /**
   * What a loop sends back now: all its gates have ended, and what failed was judged and not sent back before.
   * @param isAwaiting others of its gates end in this call
   */
  #judged(
    place: Place,
    loop: Loop,
    most = loop.most,
    isAwaiting = false,
  ): (NonNullable<Decided['rework']> & { about: Attempt }) | undefined {
    const { subject, run } = place;
    const views = this.views(subject, run, (one) => this.#isKnownWhole(one), this.asking);
    const about = views[loop.to]!.attempt;
    const notDone = loop.gates.filter((gate) => !views[gate]!.done);
    const open = notDone.filter((gate) => this.#isOpen(views[gate]!));
    if (open.length > 0 && (!isAwaiting || !open.every((gate) => this.#comesYet(views, gate)))) return undefined;
    const failed = notDone.filter((gate) => !open.includes(gate)).map((gate) => views[gate]!);
    if (about === undefined || failed.length === 0 || failed.some(({ status }) => status !== 'partial'))
      return undefined;
    const from = failed.map(({ attempt }) => attempt!);
    const before = this.reworks(subject, run, loop.to);
    if (before.some(({ rework }) => rework!.from.some((one) => from.includes(one)))) return undefined;
    const times = 1 + before.filter(({ rework }) => rework!.cause === loop.cause).length;
    const all = this.gates().flatMap((gate) => this.reworks(subject, run, gate)).length;
    if (all >= (this.mostReworks ?? Infinity)) return undefined;
    return times >= most ? undefined : { cause: loop.cause, times, from, about };
  }
}
