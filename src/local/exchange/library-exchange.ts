import type { Decider } from '../../engine/attempt/record-decision.ts';
import { openCall, type Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { FormatReading, ImportedRun, SourceFile, WrittenFile } from '../../formats/exchange.ts';
import { FORMATS, formatNamed } from '../../formats/formats.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { checked, requireBasics, requireWork } from '../library-arguments.ts';
import * as shapes from '../library-shapes.ts';
import { historyIn } from '../local-ports.ts';
import { writeDocument } from '../memory/documents.ts';
import { exportedRun } from './exported-run.ts';
import { ignoreEarlier } from './write-files.ts';
import { addEntries, adoptImported, newEntries, refuseUnusable } from './import-run.ts';

/** A system whose files can be read and written. */
export type System = 'state-guide' | 'agent-flow' | 'dev-loop' | 'nexus';

/** How to import: who adopts what is completed, and why. */
export interface ImportOptions extends Decider {
  /** Only say what would be imported. Default false. */
  readonly dryRun?: boolean;
}

/** What was imported, or would be. */
export interface ImportedFiles
  extends Pick<FormatReading, 'notMoved' | 'notes'>, Pick<ImportedRun, 'keys' | 'documents' | 'history'> {
  readonly adopted: readonly UnitKey[];
  /** Gates that were adopted with the same output before. */
  readonly kept: readonly UnitKey[];
  /** The line for the system's files that was added to `.git/info/exclude`. `undefined`: none was needed. */
  readonly ignored: string | undefined;
}

/** The files of a run, as a system writes them. */
export interface ExportedFiles {
  /** Where the system keeps them, relative to the workspace. */
  readonly folder: string;
  /** Paths are relative to the folder. */
  readonly files: readonly WrittenFile[];
}

/**
 * Takes over what files of another system say, all of it or nothing: adopts what is completed, and adds documents and
 * entries of the history to the workspace, and makes git ignore the system's files there. Starts nothing, and changes
 * no definition: `keys` of the result are those that mean the same in one. The caller holds the lock of the workspace.
 * @throws ImportRefusedError with each problem, its file and JSON pointer; GatelineError `LIBRARY_ARGUMENT_REFUSED`,
 *   and as `decide` does
 */
export async function importFiles(
  ports: EnginePorts,
  assignment: Assignment,
  system: System,
  files: readonly SourceFile[],
  options: ImportOptions,
): Promise<ImportedFiles> {
  requireWork('importFiles', { ports, assignment });
  checked('importFiles', 'system', shapes.systemShape, system);
  checked('importFiles', 'files', shapes.sourceFilesShape, files);
  const { dryRun = false, ...by } = checked('importFiles', 'options', shapes.importShape, options);
  const { root } = ports.workspace;
  const log = ports.history ?? historyIn({ root });
  const format = formatNamed(system);
  const reading = format.read(files);
  // The caller has a definition.
  await refuseUnusable(root, reading, { isNew: false });
  const { run, notMoved, notes } = reading;
  // Once without records, so that nothing is written if an output is refused.
  const rehearsed = await adoptImported(ports, assignment, run, by, { dryRun: true });
  const history = await newEntries(log, run);
  const { keys, documents } = run;
  const about = { notMoved, notes, keys, documents, history };
  if (dryRun) return { ...about, adopted: rehearsed.adopted, kept: rehearsed.kept, ignored: undefined };
  // What is adopted must not be out of date as soon as the system, a mirror or an export changes these files.
  const ignored = await ignoreEarlier(root, format, ports.environment);
  for (const document of documents) await writeDocument(root, document);
  await addEntries(log, history);
  const { adopted, kept } = await adoptImported(ports, assignment, run, by, { dryRun: false });
  return { ...about, adopted, kept, ignored };
}

/**
 * The files of a run, as another system writes them. Writes nothing.
 * @param runNumber default: the newest run
 * @throws GatelineError `LIBRARY_ARGUMENT_REFUSED`, `RUN_UNKNOWN` if there is no run, and as `readRun` does
 */
export async function exportFiles(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'> & Partial<Assignment>,
  system: System,
  runNumber?: number,
): Promise<ExportedFiles> {
  requireBasics('exportFiles', { ports, assignment });
  checked('exportFiles', 'system', shapes.systemShape, system);
  const number = checked('exportFiles', 'runNumber', shapes.runNumberShape, runNumber) ?? 0;
  const { pipeline } = assignment;
  const about = { metadata: pipeline.metadata, input: null, ...assignment };
  const call = await openCall(ports, about, () => undefined, { runNumber: number, shows: true });
  const place = { root: ports.workspace.root, pipeline };
  const format = FORMATS[system]!;
  return { folder: format.folder, files: format.write(await exportedRun(call, call.journal.state(), place)) };
}
