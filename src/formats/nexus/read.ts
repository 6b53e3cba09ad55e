import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { ImportedGate, FormatReading, SourceFile } from '../exchange.ts';
import { FileFindings } from '../findings.ts';
import { readDefaults } from './defaults.ts';
import { readExecutions } from './executions.ts';
import { workflowStateIn, type WorkflowState } from './workflow-state.ts';

const CURRENT = '.current-workflow.json';

/** Whether a file of the folder belongs to Nexus. */
export function isNexusFile(path: string): boolean {
  return kindOf(path) !== 'state' || path === CURRENT;
}

function kindOf(path: string): 'executions' | 'summary' | 'defaults' | 'backup' | 'state' {
  if (path === 'executions.jsonl' || path.endsWith('/executions.jsonl')) return 'executions';
  if (path === 'daily-summary.json' || path.endsWith('/daily-summary.json')) return 'summary';
  if (/(?:^|\/)defaults\.ya?ml$/.test(path)) return 'defaults';
  return /(?:^|\/)backups\/[^/]+\.json$/.test(path) ? 'backup' : 'state';
}

/** Reads the files of seed 004; see docs/recipes/from-nexus.md. */
export function readNexus(files: readonly SourceFile[]): FormatReading {
  const findings = new FileFindings();
  const byKind = Map.groupBy(files, ({ path }) => kindOf(path));
  const executions = (byKind.get('executions') ?? []).map((file) => readExecutions(file, findings));
  const keys = Object.assign(
    {},
    ...(byKind.get('defaults') ?? []).map((file) => readDefaults(file, findings)),
  ) as JsonObject;
  for (const { path } of byKind.get('summary') ?? [])
    findings.leave(path, '', 'it is computed from the history: `gateline stats --daily`');
  const states = byKind.get('state') ?? [];
  for (const { path } of states.slice(1))
    findings.refuse(path, '', `${states[0]!.path} is the state already; name one`);
  const found = stateAmong(states[0], byKind.get('backup') ?? [], executions.at(-1)?.last, findings);
  const run = found && runOf(found.state, found.file, findings);
  const history = executions.flatMap((one) => one.history);
  return findings.reading({ ...run, keys: { ...keys, ...run?.keys }, history });
}

interface FoundState {
  readonly state: WorkflowState;
  readonly file: string;
}

/**
 * The current state; if it breaks a rule, the newest valid backup of the same workflow. Without a current state no
 * workflow is active; a single backup that is named is used then.
 */
function stateAmong(
  current: SourceFile | undefined,
  backups: readonly SourceFile[],
  last: string | undefined,
  findings: FileFindings,
): FoundState | undefined {
  const first = current ?? (backups.length === 1 ? backups[0] : undefined);
  if (first === undefined) {
    if (backups.length > 1) findings.notes.push('no workflow is active, so no backup is used; name one to import it');
    return undefined;
  }
  const wrong = new FileFindings();
  const value = wrong.json(first);
  const state = value === undefined ? undefined : workflowStateIn(value, first.path, wrong);
  if (state !== undefined) return { state, file: first.path };
  const id = value === undefined ? (idAtStart(first) ?? last) : (idIn(value) ?? last);
  const mayUse = first === current && backups.length > 0;
  const backup = mayUse && id !== undefined ? newestBackup(backups, id, findings) : undefined;
  if (backup === undefined) {
    const whyNone = id === undefined ? 'nothing says which workflow was active' : `none of ${id} is valid`;
    const [problem, ...others] = wrong.problems;
    const message = mayUse ? `${problem!.message}. No backup is used: ${whyNone}` : problem!.message;
    findings.problems.push({ ...problem!, message }, ...others);
    return undefined;
  }
  const { pointer, message } = wrong.problems[0]!;
  findings.notes.push(`${first.path} is damaged (${pointer || 'the file'}: ${message}); ${backup.file} is used`);
  return backup;
}

function idIn(value: JsonValue | undefined): string | undefined {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The id of a state that was cut off: Nexus writes it first. */
function idAtStart({ bytes }: SourceFile): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 1_000)).toString('utf8');
  return /^\s*\{\s*"id"\s*:\s*"([^"\\]+)"/.exec(start)?.[1];
}

/** The newest valid backup of a workflow. */
function newestBackup(backups: readonly SourceFile[], id: string, findings: FileFindings): FoundState | undefined {
  for (const file of backups.toSorted((a, b) => b.modified - a.modified)) {
    const wrong = new FileFindings();
    const value = wrong.json(file);
    const state = value === undefined ? undefined : workflowStateIn(value, file.path, wrong);
    if (state?.id === id) return { state, file: file.path };
    const why = state === undefined ? wrong.problems[0]!.message : `it is of ${state.id}`;
    findings.notes.push(`${file.path} is not used: ${why}`);
  }
  return undefined;
}

type NexusRun = Pick<FormatReading['run'], 'pipeline' | 'subject' | 'gates' | 'keys'>;

function runOf(state: WorkflowState, file: string, findings: FileFindings): NexusRun {
  nameUnmoved(state, file, findings);
  const { completedPhases: completed, failedPhases, currentPhase, results } = state;
  const isUsable = state.status !== 'ROLLBACK';
  if (!isUsable && completed.length > 0)
    findings.leave(file, '/completedPhases', 'the workflow was rolled back, so its results are not used');
  const unique = [...new Set(completed)];
  if (unique.length < completed.length) findings.refuse(file, '/completedPhases', 'a phase is completed twice');
  const done = unique.map((gate, index): ImportedGate => {
    const hasResult = Object.hasOwn(results, gate);
    if (!hasResult && isUsable) findings.notes.push(`${gate} is completed and has no result: its output is null`);
    const output = hasResult ? (results[gate] as JsonValue) : null;
    const place = { file, pointer: hasResult ? pointerOf(['results', gate]) : `/completedPhases/${index}` };
    return { gate, needs: unique.slice(Math.max(0, index - 1), index), place, ...(isUsable && { output }) };
  });
  const open = [...new Set([...failedPhases, ...(currentPhase === null ? [] : [currentPhase])])];
  const others = open
    .filter((gate) => !unique.includes(gate))
    .map((gate): ImportedGate => ({ gate, needs: unique.slice(-1), place: { file, pointer: '/currentPhase' } }));
  return {
    pipeline: state.workflowName,
    subject: state.id,
    gates: [...done, ...others],
    keys: { task: state.userTask },
  };
}

/** What has no place in Gateline, each with the reason. */
function nameUnmoved(state: WorkflowState, file: string, findings: FileFindings): void {
  const leave = (isThere: boolean, key: string, reason: string): void => {
    if (isThere) findings.leave(file, `/${key}`, reason);
  };
  leave(true, 'workflowFile', 'the definition is gateline.yml');
  leave(true, 'startTime', 'records have the time of the import; the history keeps the times of executions');
  leave(state.pausedAt !== null, 'pausedAt', 'a pause is a decision: `gateline pause`');
  leave(state.status === 'PAUSED', 'status', 'a pause is a decision: `gateline pause`');
  leave(
    state.skippedPhases.length > 0,
    'skippedPhases',
    'a skip is a decision: `gateline skip GATE --reason TEXT`, where the definition has the gate',
  );
  leave(state.failedPhases.length > 0, 'failedPhases', 'a phase that failed runs again');
  leave(state.error !== null, 'error', 'a phase that failed runs again; the history keeps the message');
  leave(Object.keys(state.retries).length > 0, 'retries', 'attempts are counted from records');
  leave(true, 'metadata', 'agents report plugins, servers and times with each attempt');
  leave(
    state.checkpoints.length > 0,
    'checkpoints',
    'a hash cannot restore a file: Gateline takes snapshots of its own, as git trees',
  );
  const { completedPhases, failedPhases, currentPhase, metadata } = state;
  const current = currentPhase === null ? [] : [currentPhase];
  const named = new Set([...completedPhases, ...failedPhases, ...current]).size;
  const reason = `a new definition has ${named} of ${metadata.totalPhases} phases: the state does not name others that run`;
  leave(metadata.totalPhases > named, 'metadata/totalPhases', reason);
  for (const phase of Object.keys(state.results))
    leave(!state.completedPhases.includes(phase), pointerOf(['results', phase]).slice(1), 'the phase is not completed');
}
