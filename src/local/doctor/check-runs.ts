import { join } from 'node:path';
import { recomputeHistory } from '../../engine/history/rebuild-history.ts';
import { keptSubject, runKeyOf } from '../../history/entry.ts';
import { compareFiles } from '../projector.ts';
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

/** The lines of the history, and whether each run that is over has its entry. */
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
  const known = new Set(entries.map(runKeyOf));
  for (const { pipeline, subject, run } of open) {
    const text = `the entry of run ${run} of ${subject} (${pipeline}) is not written yet`;
    findings.push(finding('HISTORY_OPEN', show(join(state, 'history', 'open')), text));
    known.add(runKeyOf({ pipeline, subject: keptSubject(subject), run }));
  }
  for (const { entry } of await recomputeHistory(ports, loaded, entries)) {
    if (known.has(runKeyOf(entry))) continue;
    const text = `run ${entry.run} of ${entry.subject} (${entry.pipeline}) is over and has no entry`;
    findings.push(finding('HISTORY_INCOMPLETE', show(join(state, 'history.jsonl')), text, { repair }));
  }
  return findings;
}
