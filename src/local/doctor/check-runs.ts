import { join } from 'node:path';
import { recomputeHistory } from '../../engine/history/rebuild-history.ts';
import { keptSubject, runKeyOf } from '../../history/entry.ts';
import { compareFiles } from '../projector.ts';
import { readGates } from '../../history/read.ts';
import { finding, type Finding, type Repair } from './finding.ts';
import type { Looking } from './looking.ts';
import { newestRun } from './newest-run.ts';

/** The files that people read, for each subject of the pipeline: whether they show its newest run. */
export async function checkStateFiles({ loaded, ports, progress }: Looking): Promise<Finding[]> {
  const findings: Finding[] = [];
  const subjects = await ports.store.subjects(loaded.pipeline.id);
  for (const [index, subject] of subjects.entries()) {
    progress('subjects', index + 1, subjects.length);
    const { state, shown } = await newestRun({ loaded, ports }, subject);
    if (state.runNumber === 0) continue;
    const repair: Repair = { action: 'rebuild-state-files', subject };
    for (const difference of await compareFiles(shown, state)) {
      const code = difference.state === 'changed' ? 'STATE_FILE_CHANGED' : 'STATE_FILE_OUTDATED';
      findings.push(finding(code, difference.file, difference.message, { repair }));
    }
  }
  return findings;
}

/** The lines of the history, and whether each run that is over has its entry, and that of its gates. */
export async function checkHistory(looking: Looking): Promise<Finding[]> {
  const { history, ports, loaded, show, state } = looking;
  const repair: Repair = { action: 'rebuild-history' };
  const findings = history
    .damaged()
    .map(({ path, lines }) =>
      finding('HISTORY_DAMAGED', show(path), `lines that are not entries of this version: ${lines}`, { repair }),
    );
  // In this order: a run that ends meanwhile is in one of them.
  const open = await history.open();
  const entries = await history.all();
  const waiting = new Set<string>();
  for (const { pipeline, subject, run } of open) {
    const text = `the entry of run ${run} of ${subject} (${pipeline}) is not written yet`;
    findings.push(finding('HISTORY_OPEN', show(join(state, 'history', 'open')), text));
    waiting.add(runKeyOf({ pipeline, subject: keptSubject(subject), run }));
  }
  const written = new Set(entries.map(runKeyOf));
  const withGates = new Set([...readGates(history.gates(), { lines: 0 })].map(runKeyOf));
  for (const { entry, gates } of await recomputeHistory(ports, loaded, entries)) {
    const key = runKeyOf(entry);
    const isWritten = written.has(key);
    if (waiting.has(key) || (isWritten && withGates.has(key))) continue;
    const what = isWritten ? 'entry about its gates' : 'entry';
    const text = `run ${entry.run} of ${entry.subject} (${entry.pipeline}) is over and has no ${what}`;
    const file = isWritten ? join('history', `${gates.started.slice(0, 7)}.jsonl`) : 'history.jsonl';
    findings.push(finding('HISTORY_INCOMPLETE', show(join(state, file)), text, { repair }));
  }
  return findings;
}
