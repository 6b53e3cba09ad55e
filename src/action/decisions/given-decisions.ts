import { GatelineError } from '../../errors/gateline-error.ts';
import { unitsNamed } from '../../run/records/named-units.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { unitOf, type DecidedRecord, type EndedRecord } from '../../run/records/record.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { foldRun } from '../../run/state/fold.ts';
import { strategySteps } from '../../run/plan/strategy.ts';
import type { Dispatch } from '../event/dispatch.ts';

/** The decision that a person made by starting this run. */
export interface Order {
  readonly dispatch: Dispatch;
  readonly actor: string;
  readonly pipeline: string;
  readonly runNumber: number;
  /** The run that it resumes. */
  readonly resumed: { readonly number: number; readonly commit: string };
  /** A file defines all gates: a name that is none of them is a mistake. */
  readonly isWhole: boolean;
}

/** A decision, and the unit that it is about. */
export interface GivenDecision extends Pick<DecidedRecord, 'decision' | 'fingerprint' | 'output' | 'commit'> {
  readonly unit: Unit;
}

/** The result of an order. */
interface Given {
  readonly decisions: readonly GivenDecision[];
  /** Why a part of the order decides nothing, one sentence without a full stop each. */
  readonly without: readonly string[];
}

/**
 * The decisions of an order, for the units of a graph. An approval or a rejection is about the output that the resumed
 * run recorded; units without one, or with another digest, have no decision.
 * @throws GatelineError `GATE_UNKNOWN`, `DISPATCH_INVALID`
 */
export function decisionsGiven(order: Order, graph: UnitGraph, listing: RecordListing, about: DecisionContext): Given {
  const { decision, gate, from } = order.dispatch;
  const steps = stepsGiven(order, graph, listing, about);
  // A report sees every gate of the run. Without a file, a job does not see those of other jobs.
  const unseen = about.isReport
    ? [from, gate].filter((name) => name !== undefined && !isKnown(order, graph, name))
    : [];
  const without = unseen.map((name) => `no job of this run is of a gate ${name}`);
  if (decision === undefined || gate === undefined) return { decisions: steps, without };
  const units = unitsKnown(graph, gate, order.isWhole);
  if (decision === 'skip' || decision === 'force')
    return { decisions: [...steps, ...units.map((unit) => ({ unit, decision, fingerprint: null }))], without };
  if (decision === 'adopt') {
    if (units.length > 1)
      throw new GatelineError('DISPATCH_INVALID', `decision adopt: name one leg of ${gate} as \`gate\``);
    const adopted = units.map((unit) => ({ unit, decision, fingerprint: null, output: order.dispatch.digest! }));
    return { decisions: [...steps, ...adopted], without };
  }
  const judged = units.flatMap((unit): GivenDecision[] => {
    const ended = outputOf(order, unit, listing);
    if (ended?.value === undefined) return [];
    const { commit } = order.resumed;
    return [{ unit, decision, fingerprint: ended.fingerprint, output: ended.value.digest, commit }];
  });
  const isSeen = about.isReport || units.some((unit) => recordedOf(order, unit, listing).length > 0);
  const none = units.length > 0 && judged.length === 0 && isSeen ? [noOutput(order)] : [];
  return { decisions: [...steps, ...judged], without: [...without, ...none] };
}

function isKnown({ isWhole }: Order, graph: UnitGraph, name: string): boolean {
  return unitsKnown(graph, name, isWhole).length > 0;
}

function noOutput({ dispatch: { decision, gate, digest, resume } }: Order): string {
  const which = digest === undefined ? '' : `, or its last one is not ${digest}`;
  return `there is nothing to ${decision}: run ${resume} recorded no output of gate ${gate}${which}`;
}

/** Other facts that are needed to expand decisions. */
interface DecisionContext {
  readonly subject: string;
  /** ISO 8601. */
  readonly now: string;
  /** The listing and the graph are those of all jobs of the run. */
  readonly isReport: boolean;
}

/** The decisions of a strategy, by the results of the resumed run. */
function stepsGiven(
  order: Order,
  graph: UnitGraph,
  listing: RecordListing,
  { subject, now }: DecisionContext,
): GivenDecision[] {
  const { strategy: asked, from } = order.dispatch;
  const strategy = asked ?? (from === undefined ? 'retry-current' : 'from-checkpoint');
  if (strategy === 'retry-current') return [];
  if (strategy === 'retry-previous' && !order.isWhole) {
    const message = 'strategy retry-previous: only a gateline.yml says which gates a failed gate needs';
    throw new GatelineError('DISPATCH_INVALID', message);
  }
  const first = from === undefined ? [] : unitsKnown(graph, from, order.isWhole).map(({ key }) => key);
  if (strategy === 'from-checkpoint' && first.length === 0) return [];
  const { pipeline, resumed, runNumber } = order;
  const identity = { pipeline, subject, runNumber: resumed.number };
  const state = foldRun(graph, listing, identity, { now, supersededBefore: { runNumber, runAttempt: 1 } });
  return strategySteps(strategy, graph, state, first).map((step) => ({ ...step, fingerprint: null }));
}

/**
 * The units of a name. Without a file, a job knows only its own gate and those before it.
 * @throws GatelineError `GATE_UNKNOWN` if a file defines all gates
 */
export function unitsKnown(graph: UnitGraph, name: string, isWhole: boolean): Unit[] {
  try {
    return unitsNamed(graph, [name]);
  } catch (error) {
    if (!isWhole && error instanceof GatelineError && error.code === 'GATE_UNKNOWN') return [];
    throw error;
  }
}

/** The output that a decision is about. */
function outputOf(order: Order, unit: Unit, listing: RecordListing): EndedRecord | undefined {
  const { digest } = order.dispatch;
  const last = recordedOf(order, unit, listing).at(-1);
  return digest === undefined || last?.value?.digest === digest ? last : undefined;
}

/** The ends of a unit in the resumed run, in order. Its artifacts hold no record of another run's number. */
function recordedOf({ resumed }: Order, unit: Unit, { records }: RecordListing): EndedRecord[] {
  const ended = records.filter(
    (record): record is EndedRecord =>
      record.kind === 'ended' && unitOf(record) === unit.key && record.runNumber === resumed.number,
  );
  return ended.toSorted((a, b) => a.runAttempt - b.runAttempt || a.n - b.n);
}
