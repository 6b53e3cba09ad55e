import { pointerOf } from '../../json/pointer.ts';
import { SourceReader, type ImportedGate, type ImportedRun, type SourceFile } from '../format.ts';
import { readExecutions } from './executions.ts';
import { workflowStateSchema, type WorkflowState } from './workflow-state.ts';

export const CURRENT = '.current-workflow.json';
export const EXECUTIONS = 'executions.jsonl';
export const SUMMARY = 'daily-summary.json';

export function isNexusFile(path: string): boolean {
  return path === CURRENT || path === EXECUTIONS || path === SUMMARY || isBackup(path);
}

function isBackup(path: string): boolean {
  return /^backups\/[^/]+\.json$/.test(path);
}

/** Reads the current workflow, or a single backup without it, and the history. */
export function readNexus(files: readonly SourceFile[]): ImportedRun {
  const reader = new SourceReader();
  const backups = files.filter(({ path }) => isBackup(path));
  const current = files.find(({ path }) => path === CURRENT) ?? (backups.length === 1 ? backups[0] : undefined);
  const state = current && reader.readJson(workflowStateSchema, current);
  if (current && !state && backups.length > 0 && current.path === CURRENT)
    reader.reject(
      { file: CURRENT },
      `\`gateline import nexus FILE\` takes a backup: ${backups.map(({ path }) => path).join(', ')}`,
    );
  if (!current && backups.length > 1)
    reader.notes.push('no workflow is active: `gateline import nexus FILE` takes one of the backups');
  const executions = files.find(({ path }) => path === EXECUTIONS);
  const history = executions ? readExecutions(executions, reader) : [];
  if (files.some(({ path }) => path === SUMMARY))
    reader.notes.push(`${SUMMARY} is left out: it is computed from the history, \`gateline history --stats\``);
  const gates = state ? gatesOf(state, current.path, reader) : [];
  reader.throwProblems();
  if (state) addNotes(state, reader.notes);
  const { workflowName: pipeline, id: subject, userTask: task } = state ?? {};
  return { pipeline, subject, task, metadata: {}, gates, history, documents: {}, notes: reader.notes };
}

function gatesOf(state: WorkflowState, file: string, reader: SourceReader): ImportedGate[] {
  const { completedPhases: completed, failedPhases, currentPhase, results, error } = state;
  if (new Set(completed).size < completed.length)
    reader.reject({ file, pointer: '/completedPhases' }, 'a phase is completed twice');
  const isTakenBack = state.status === 'ROLLBACK';
  if (isTakenBack && completed.length > 0) reader.notes.push('the workflow was rolled back: its results are not used');
  const done = completed.map((gate, index): ImportedGate => {
    const hasResult = Object.hasOwn(results, gate);
    if (!hasResult && !isTakenBack) reader.notes.push(`${gate} is completed and has no result: its output is null`);
    const pointer = hasResult ? pointerOf(['results', gate]) : `/completedPhases/${index}`;
    const output = isTakenBack ? {} : { output: hasResult ? results[gate]! : null };
    return {
      gate,
      leg: '',
      needs: completed.slice(Math.max(0, index - 1), index),
      ...output,
      issues: [],
      place: { file, pointer },
    };
  });
  const open = new Set([...failedPhases, ...(currentPhase === null ? [] : [currentPhase])]);
  const others = [...open].filter((gate) => !completed.includes(gate));
  return [
    ...done,
    ...others.map((gate): ImportedGate => {
      const issues = error?.phase === gate ? [error.message] : [];
      return { gate, leg: '', needs: completed.slice(-1), issues, place: { file, pointer: '/currentPhase' } };
    }),
  ];
}

/** Notes what was not imported. */
function addNotes(state: WorkflowState, notes: string[]): void {
  const { skippedPhases, failedPhases, status, retries, checkpoints, results, completedPhases, metadata } = state;
  const note = (isThere: boolean, text: string) => void (isThere && notes.push(text));
  note(status === 'PAUSED', 'a pause is a decision: `gateline pause`');
  note(skippedPhases.length > 0, `skipped phases are decisions: \`gateline skip\` for ${skippedPhases.join(', ')}`);
  const again = failedPhases.length === 1 ? 'it runs' : 'they run';
  note(failedPhases.length > 0, `${failedPhases.join(', ')} failed: ${again} again`);
  note(Object.keys(retries).length > 0, 'retries are left out: attempts are counted in the log');
  note(
    checkpoints.length > 0,
    'checkpoints are left out: a hash cannot restore a file; Gateline takes snapshots itself',
  );
  const others = Object.keys(results).filter((phase) => !completedPhases.includes(phase));
  note(others.length > 0, `results of ${others.join(', ')} are left out: the phases are not completed`);
  note(
    metadata.pluginsUsed.length + metadata.mcpsUsed.length > 0,
    'plugins and servers of the workflow are left out: agents report theirs with each attempt',
  );
}
