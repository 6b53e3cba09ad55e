import { GatelineError } from '../../errors/gateline-error.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import type { OpenRun } from '../../history/log.ts';
import type { RunState, RunStatus } from '../../run/state/run-state.ts';
import { openCall, type Assignment, type Call } from './call.ts';
import { stateInBudget } from './call-budget.ts';
import type { EnginePorts, Observer } from '../ports.ts';

/** In these a run may still be at work, or has not begun. */
const NOT_OVER: ReadonlySet<RunStatus> = new Set(['initializing', 'executing']);

/** Whether a run has an entry: it is completed, failed, paused, closed or rolled back. */
export function isOver({ status }: Pick<RunState, 'status'>): boolean {
  return !NOT_OVER.has(status);
}

/** Notes the run of a call in the history, before the call writes records of it. Never fails a run. */
export async function noteRun(call: Call): Promise<void> {
  const { history, underReview } = call.ports;
  if (history === undefined) return;
  await orNotice(call.observe, async () => {
    const commit = (await underReview?.())?.commit;
    await history.begin({ ...openRunOf(call), facts: { ...factsOf(call), ...(commit !== undefined && { commit }) } });
  });
}

/**
 * Writes the entry of a call's run: the run is completed, failed, paused, closed or rolled back. One that is still at
 * work stays noted. Never fails a run.
 */
export async function keepHistory(call: Call): Promise<void> {
  const { history } = call.ports;
  if (history === undefined || call.journal.state().runNumber === 0) return;
  await orNotice(call.observe, async () => {
    const mine = openRunOf(call);
    const noted = (await history.open()).find((one) => isSameRun(one, mine));
    await write(call, noted ?? { ...mine, facts: factsOf(call) });
  });
}

/**
 * Writes the entries of runs that killed calls of this pipeline left without. No other engine may be working. Never
 * fails a run.
 */
export async function completeHistory(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline'>,
  observe: Observer,
): Promise<void> {
  const { history } = ports;
  const { pipeline } = assignment;
  await orNotice(observe, async () => {
    for (const noted of (await history?.open()) ?? []) {
      if (noted.pipeline !== pipeline.id) continue;
      const about = { pipeline, subject: noted.subject, metadata: pipeline.metadata, input: null };
      const call = await openCall(ports, about, observe, { runNumber: noted.run, shows: true });
      const hasRecords = call.journal.records().some(({ runNumber }) => runNumber === noted.run);
      await (hasRecords ? write(call, noted) : history!.end(noted, undefined));
    }
  });
}

async function write(call: Call, noted: OpenRun): Promise<void> {
  const state = await stateInBudget(call);
  if (!isOver(state)) return;
  const { ports, journal, assignment } = call;
  const { groups } = assignment.pipeline;
  const [records, now] = [journal.records(), ports.now().toISOString()];
  await ports.history?.end(noted, historyOfRun({ state, records, groups, facts: noted.facts, now }));
}

function openRunOf({ assignment, journal }: Call): Omit<OpenRun, 'facts'> {
  const { pipeline, subject } = assignment;
  return { pipeline: pipeline.id, subject, run: journal.call.runNumber };
}

function isSameRun(a: Omit<OpenRun, 'facts'>, b: Omit<OpenRun, 'facts'>): boolean {
  return a.pipeline === b.pipeline && a.subject === b.subject && a.run === b.run;
}

function factsOf({ assignment: { set }, ports: { me, history } }: Call): OpenRun['facts'] {
  const definition = history?.definition;
  return {
    ...(set !== undefined && { set }),
    ...(definition !== undefined && { workflowFile: definition }),
    ...(me.actor !== undefined && { actor: me.actor }),
  };
}

/** A run must not fail because of its history. */
async function orNotice(observe: Observer, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    await observe({ type: 'notice', message: `the history is not complete: ${error.message}` });
  }
}
