import { isEntityRecord } from '../../run/records/record.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import { keptSubject, runKeyOf, type HistoryEntry, type RunHistory } from '../../history/entry.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { unitsOf } from '../../run/records/unit.ts';
import { foldRun } from '../../run/state/fold.ts';
import { observePipeline } from '../../run/state/observed-pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { openCall, type Assignment } from '../call/call.ts';
import { isOver } from '../call/keep-history.ts';
import type { EnginePorts } from '../ports.ts';

/** The result of {@link rebuildHistory}: numbers of runs. */
export interface RebuiltHistory {
  /** Entries made from records. */
  readonly recomputed: number;
  /** Entries of runs whose records were removed. */
  readonly kept: number;
}

/**
 * Rebuilds the history: entries of runs that have records are made from the records, and other entries are kept. Fields
 * that records do not contain (commit, set, definition) are copied from the old entries. Runs of other pipelines are
 * read as their records show them. The caller holds the workspace's lock.
 * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`
 */
export async function rebuildHistory(
  ports: EnginePorts,
  { pipeline }: Pick<Assignment, 'pipeline'>,
): Promise<RebuiltHistory> {
  const { history } = ports;
  if (history === undefined) return { recomputed: 0, kept: 0 };
  const recomputed = await recomputeHistory(ports, { pipeline }, await history.all());
  const kept = await history.rewrite(recomputed);
  return { recomputed: recomputed.length, kept };
}

/**
 * The history of all runs that have records and are over, as {@link rebuildHistory} makes it. Changes nothing.
 * @param entries those that there are
 */
export async function recomputeHistory(
  ports: EnginePorts,
  { pipeline }: Pick<Assignment, 'pipeline'>,
  entries: readonly HistoryEntry[],
): Promise<RunHistory[]> {
  const before = new Map(entries.map((entry) => [runKeyOf(entry), entry]));
  const { records: found } = (await ports.everyRecord?.()) ?? { records: [] };
  const records = found.filter((record) => !isEntityRecord(record));
  const recomputed: RunHistory[] = [];
  for (const [id, ofPipeline] of Map.groupBy(records, (record) => record.pipeline)) {
    for (const [subject, mine] of Map.groupBy(ofPipeline, (record) => record.subject)) {
      const isCurrent = id === pipeline.id;
      const listing = isCurrent ? await ports.store.list(id, subject) : { records: mine, problems: [] };
      for (const runNumber of new Set(mine.map((record) => record.runNumber))) {
        const about = { pipeline: id, subject, runNumber };
        const known = isCurrent ? await currentState(ports, pipeline, listing, about) : undefined;
        const state = known ?? observedState(ports, listing, about);
        if (!isOver(state)) continue;
        const facts = factsIn(before.get(runKeyOf({ pipeline: id, subject: keptSubject(subject), run: runNumber })));
        const { groups } = isCurrent ? pipeline : { groups: [] };
        recomputed.push(
          historyOfRun({
            state,
            records: listing.records.filter((record) => !isEntityRecord(record)),
            groups,
            facts,
            now: ports.now().toISOString(),
          }),
        );
      }
    }
  }
  return recomputed;
}

interface About {
  readonly pipeline: string;
  readonly subject: string;
  readonly runNumber: number;
}

/** By today's definition; `undefined`: by that one, the run would still be running. */
async function currentState(
  ports: EnginePorts,
  pipeline: Assignment['pipeline'],
  listing: RecordListing,
  { subject, runNumber }: About,
): Promise<RunState | undefined> {
  const about = { pipeline, subject, metadata: pipeline.metadata, input: null };
  const call = await openCall(ports, about, () => undefined, { runNumber, shows: true, listing });
  const state = call.journal.state();
  return isOver(state) ? state : undefined;
}

/** By the gates that the run has records of. */
function observedState(
  ports: EnginePorts,
  listing: RecordListing,
  { pipeline: id, subject, runNumber }: About,
): RunState {
  const records = listing.records.filter((record) => record.runNumber === runNumber);
  const { pipeline } = observePipeline({ pipeline: id, own: undefined, records, contracts: new Map() });
  const now = ports.now().toISOString();
  return foldRun(unitsOf(pipeline), listing, { pipeline: id, subject, runNumber }, { now });
}

function factsIn(entry: HistoryEntry | undefined): NonNullable<Parameters<typeof historyOfRun>[0]['facts']> {
  if (entry === undefined) return {};
  const { set, commit, branch, event, trust, actor, workflowFile } = entry;
  const facts = { set, commit, branch, event, trust, actor, workflowFile };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
