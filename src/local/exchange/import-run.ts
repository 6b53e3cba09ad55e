import { adoptOutputs, type Adoption, type OutsideOutput } from '../../engine/adoption/adopt-outputs.ts';
import type { Decider } from '../../engine/attempt/record-decision.ts';
import type { Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { FileProblem, FormatReading, ImportedRun } from '../../formats/exchange.ts';
import { runKeyOf, type HistoryEntry } from '../../history/entry.ts';
import type { HistoryLog } from '../../history/log.ts';
import { stateMetadata } from '../../formats/state-guide/state-metadata.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { documentPath } from '../../memory/documents.ts';
import { DOCUMENT_LIMITS } from '../../memory/entries.ts';
import { oneLine } from '../../report/text.ts';
import { subjectSlug } from '../../run/records/subject.ts';
import { readDocument } from '../memory/documents.ts';
import { withoutId, withoutNeed } from './definition.ts';
import { ImportRefusedError } from './import-refused.ts';
import { placedIn } from './placed-outputs.ts';

/**
 * Refuses what files say if a part of it has no place in a workspace.
 * @param root absolute path of the workspace
 * @param options.isNew the definition is made from the files; in one that exists, gates may need others
 * @throws ImportRefusedError naming every problem of every file
 */
export async function refuseUnusable(
  root: string,
  reading: FormatReading,
  { isNew }: { readonly isNew: boolean },
): Promise<void> {
  const clashing: FileProblem[] = [];
  for (const { name, text } of reading.run.documents) {
    const before = await readDocument(root, name);
    if (Buffer.byteLength(text) > DOCUMENT_LIMITS.bytes)
      clashing.push({ file: documentPath(name), pointer: '', message: 'a document has at most 64 KiB' });
    else if (before !== undefined && before !== text)
      clashing.push({ file: documentPath(name), pointer: '', message: 'the document exists, with another text' });
  }
  const nameless = withoutId(reading.run).map(({ gate, place }) => ({
    ...place,
    message: `${oneLine(String(gate))} cannot be the id of a gate: expected lower-case letters, digits, _ and -`,
  }));
  const needless = isNew ? withoutNeed(reading.run) : [];
  const all = [...reading.problems, ...nameless, ...needless, ...clashing];
  if (all.length > 0) throw new ImportRefusedError(all);
}

/** Whether files say that a gate is completed. */
export function hasOutputs({ gates }: Pick<ImportedRun, 'gates'>): boolean {
  return gates.some(({ output }) => output !== undefined);
}

/**
 * Adopts what is completed, all of it or nothing.
 * @param options.dryRun records nothing
 * @throws ImportRefusedError if an output has no gate or does not meet its contract, if its gate cannot be done yet, or
 *   if the files are about another run
 */
export async function adoptImported(
  ports: EnginePorts,
  assignment: Assignment,
  run: ImportedRun,
  by: Decider,
  options: { readonly dryRun: boolean },
): Promise<Adoption> {
  if (!hasOutputs(run)) return { problems: [], adopted: [], kept: [] };
  const { placed, problems } = placedIn(run, assignment.pipeline);
  if (problems.length > 0) throw new ImportRefusedError(problems);
  refuseOther(run, assignment);
  const outputs = [...placed].map(([gate, { output, issues }]): OutsideOutput => ({ gate, output, issues }));
  const adoption = await adoptOutputs(ports, assignment, outputs, by, options);
  if (adoption.problems.length > 0)
    throw new ImportRefusedError(
      adoption.problems.map(({ gate, pointer, message }) => {
        const { file, pointer: at } = placed.get(gate)!.place;
        return { file, pointer: at + pointer, message: `gate ${gate}: ${message}` };
      }),
    );
  return adoption;
}

/** Keys of metadata that say which run it is. */
const IDENTITY = ['domain', 'feature'];

/** @throws ImportRefusedError if the files are about another domain, feature or subject than the run */
function refuseOther({ keys, slug, file = '' }: ImportedRun, { metadata, subject }: Assignment): void {
  const theirs = isJsonObject(keys['metadata']) ? keys['metadata'] : {};
  // What Gateline itself writes of the run: it derives what the metadata lack.
  const derived: JsonObject = { ...stateMetadata(metadata, subject) };
  const isOther = (key: string): boolean =>
    key in theirs && theirs[key] !== metadata[key] && theirs[key] !== derived[key];
  const problems = IDENTITY.filter(isOther).map((key) => ({
    file,
    pointer: `/metadata/${key}`,
    message:
      metadata[key] === undefined
        ? `it is ${JSON.stringify(theirs[key])}, and the run has none: add \`metadata\` to the definition, as \`--write\` does`
        : `it is ${JSON.stringify(theirs[key])}, and ${JSON.stringify(metadata[key])} in the definition`,
  }));
  if (problems.length === 0 && slug !== undefined && slug !== subjectSlug(subject))
    problems.push({
      file,
      pointer: '',
      message: `it is of the subject ${slug}, and the run of ${subject}: \`--subject\` names another`,
    });
  if (problems.length > 0) throw new ImportRefusedError(problems);
}

function beganOf({ pipeline, started }: HistoryEntry): string {
  return JSON.stringify([pipeline, Date.parse(started)]);
}

/** Entries of runs that a history does not have. @throws GatelineError `STORE_READ_FAILED` */
export async function newEntries(log: Pick<HistoryLog, 'all'>, { history }: ImportedRun): Promise<HistoryEntry[]> {
  if (history.length === 0) return [];
  const there = await log.all();
  const known = new Set(there.map(runKeyOf));
  // A run that was exported has an id of the other system, and began when it began here.
  const began = new Set(there.map(beganOf));
  return history.filter((entry) => !known.has(runKeyOf(entry)) && !began.has(beganOf(entry)));
}

/** Adds entries to a history; the outcomes of gates are not known. @throws GatelineError `STORE_WRITE_FAILED` */
export async function addEntries(log: Pick<HistoryLog, 'rewrite'>, entries: readonly HistoryEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await log.rewrite(
    entries.map((entry) => {
      const { pipeline, subject, run, attempt, started } = entry;
      const identity = { pipeline, subject, run, attempt, started };
      return { entry, gates: { format: 'gateline-history-gates/2', ...identity, gates: [], left: 0 } };
    }),
  );
}
