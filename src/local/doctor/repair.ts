import { rebuildHistory } from '../../engine/history/rebuild-history.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import type { Durable } from '../local-ports.ts';
import { createProjector } from '../projector.ts';
import type { Finding, Repair } from './finding.ts';
import { newestRun } from './newest-run.ts';

/** A repair, and the file that it is about. */
export interface PlannedRepair {
  readonly repair: Repair;
  /** As in the finding. */
  readonly path: string;
}

/** What is moved goes first: what is made again is made from the rest. */
const ORDER: readonly Repair['action'][] = [
  'quarantine-record',
  'quarantine-content',
  'rebuild-index',
  'rebuild-state-files',
  'rebuild-history',
];

/** What {@link repair} would do, in its order: one line for each file. */
export function plannedRepairs(findings: readonly Finding[]): PlannedRepair[] {
  const planned = findings.flatMap((one) => (one.repair === undefined ? [] : [{ ...one, repair: one.repair }]));
  const byFile = new Map(planned.map((one) => [JSON.stringify([one.repair.action, one.path]), one]));
  return [...byFile.values()]
    .map(({ repair: wanted, path }) => ({ repair: wanted, path }))
    .toSorted((a, b) => ORDER.indexOf(a.repair.action) - ORDER.indexOf(b.repair.action));
}

/** Where {@link repair} works. */
export interface RepairPlace extends Durable {
  readonly loaded: LoadedPipeline;
  /** Opened for writing. */
  readonly ports: EnginePorts;
}

/**
 * Moves what cannot be read to quarantine, and makes what is made from records again, by the code that commands use. No
 * record and no content is deleted. The caller holds the workspace's lock.
 * @throws GatelineError `STORE_READ_FAILED`, `STORE_WRITE_FAILED`
 */
export async function repair(place: RepairPlace, planned: readonly PlannedRepair[]): Promise<void> {
  // Several files may need the same: a subject is listed once.
  const repairs = new Map(planned.map(({ repair: one }) => [JSON.stringify(one), one]));
  for (const one of repairs.values()) await carryOut(place, one);
}

async function carryOut({ loaded, ports, onDurable }: RepairPlace, wanted: Repair): Promise<void> {
  const durable = onDurable === undefined ? {} : { onDurable };
  const open = (root: string) => openFilesystemStore({ root, workspace: loaded.root, ...durable });
  switch (wanted.action) {
    case 'quarantine-record':
      await (await open(wanted.root)).list(wanted.pipeline, wanted.subject);
      break;
    case 'quarantine-content':
      await (await open(wanted.root)).check(wanted.digest);
      break;
    case 'rebuild-index':
      await (await open(wanted.root)).checkpoints.index.remake();
      break;
    case 'rebuild-state-files': {
      const { state, shown } = await newestRun({ loaded, ports }, wanted.subject);
      await (await createProjector({ ...shown, ...durable })).show(state);
      break;
    }
    case 'rebuild-history':
      await rebuildHistory(ports, loaded);
      break;
  }
}
