import { GatelineError } from '../errors/gateline-error.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { GatelineRecord } from '../run/records/record.ts';
import type { ReadProblem } from '../run/records/reading.ts';
import type { RunState } from '../run/state/run-state.ts';
import { openCall, type Assignment } from './call/call.ts';
import { missingOf } from './call/content.ts';
import type { EnginePorts } from './ports.ts';
import { dryRunPorts } from './plan/dry-run.ts';
import { verifyOutput } from './upstream/verify-upstream.ts';
import { type JobCall } from './upstream/job-call.ts';

/** A run as somebody sees it who builds on all of it. */
export interface VerifiedRun {
  readonly state: RunState;
  /** All records that could be read, of this run and of others. */
  readonly records: readonly GatelineRecord[];
  readonly problems: readonly ReadProblem[];
  /** Units that say that they are done, and what speaks against it. */
  readonly refused: ReadonlyMap<UnitKey, GatelineError>;
}

/**
 * Looks at a whole run as a consumer of every output: content there with the right digest, claimed as it ended, and
 * judged again by the contract that counts. Nothing is written.
 */
export async function verifyRun(ports: EnginePorts, assignment: Assignment, job: JobCall): Promise<VerifiedRun> {
  const listing = job.call.listing ?? (await ports.store.list(assignment.pipeline.id, assignment.subject));
  const call = await openCall(dryRunPorts(ports), assignment, () => undefined, { ...job.call, listing });
  const units = [...call.graph.values()];
  const states = (): RunState['units'] => call.journal.state().units;
  await Promise.all(
    units.map(async ({ key }) => {
      const { done, ended } = states().get(key)!;
      if (!done || ended === undefined) return;
      // Files were held against their digests by whoever was given them.
      call.journal.setMissing(await missingOf(call.ports.store, { ...ended, files: [] }));
    }),
  );
  const refused = new Map<UnitKey, GatelineError>();
  for (const unit of units) {
    const state = states().get(unit.key)!;
    if (!state.done || state.ended === undefined) continue;
    try {
      await verifyOutput(call, unit, state, job);
    } catch (error) {
      if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
      refused.set(unit.key, error);
    }
  }
  return { state: call.journal.state(), records: call.journal.records(), problems: listing.problems, refused };
}
