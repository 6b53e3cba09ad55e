import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { parseShape, SourceReader, type ImportedGate, type ImportedRun, type SourceFile } from '../format.ts';

/** The nodes of dev-loop's graph, and their gates in the template `dev-loop`. */
export const NODE_GATES = {
  fetchTask: 'fetch-task',
  generateChanges: 'generate-changes',
  applyChanges: 'apply-changes',
  runTests: 'run-tests',
  analyzeResults: 'analyze-results',
  handleSuccess: 'handle-success',
} as const;

export const FILES = {
  state: 'workflow-state.json',
  progress: 'progress.md',
  patterns: 'learned-patterns.md',
  handoff: 'handoff.md',
  retries: 'retry-counts.json',
  execution: 'execution-state.json',
  metrics: 'metrics.json',
} as const;

/** A step of the graph: `checkpoints/{threadId}/{stepId}.json`. */
const STEP = /^checkpoints\/(?:[^/]+\/)*[^/]+\.json$/;

export function isLoopFile(path: string): boolean {
  return Object.values(FILES).some((name) => path === name) || STEP.test(path);
}

/** Not `z.json()`, which would drop a key `__proto__`. */
const anyValue = z.custom<JsonValue>((value) => value !== undefined, 'it is missing');

/** The `WorkflowState` of dev-loop, in the order of its fields, most of which have no type there. */
const loopStateSchema = z.looseObject({
  threadId: z.string().max(1_024),
  task: anyValue,
  context: anyValue,
  changes: anyValue,
  testResults: anyValue,
  status: z.string(),
  error: z.string().nullable(),
  retryCount: z.int().min(0),
  handoffContext: anyValue,
});
export type LoopState = z.infer<typeof loopStateSchema>;

/** A state in a file of its own, or in the channels of a step of the graph. */
const stateFileSchema = z.custom<JsonValue>().transform((value, context): LoopState => {
  const wrappers = [['checkpoint', 'channel_values'], ['channel_values']];
  const wrapper = wrappers.find(([key]) => isJsonObject(value) && Object.hasOwn(value, key!)) ?? [];
  const state = wrapper.reduce<JsonValue | undefined>(
    (part, key) => (isJsonObject(part ?? null) ? (part as JsonObject)[key] : part),
    value,
  );
  const parsed = loopStateSchema.safeParse(state);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    context.addIssue({ code: 'custom', path: [...wrapper, ...path], message });
  return z.NEVER;
});

/** Files that are not imported, and why. */
const COMPUTED: Readonly<Record<string, string>> = {
  [FILES.retries]: 'attempts are counted in the log',
  [FILES.metrics]: 'metrics are computed from the history: `gateline history --stats`',
  [FILES.execution]: 'each PRD is a subject: `gateline run --set FILE`',
  [FILES.handoff]: 'it is written for each attempt: `memory: [handoff]`',
};

interface StateFile {
  readonly file: string;
  readonly value: LoopState;
}

/**
 * The newest step with the state of a task. Other files may be of other graphs, or of a killed process.
 * @param subject selects its thread; undefined: the thread of the newest step
 */
function findNewestStep(files: readonly SourceFile[], subject: string | undefined): StateFile | undefined {
  const steps = files.filter(({ path }) => STEP.test(path));
  for (const { path, bytes } of steps.toSorted((a, b) => (b.modified ?? 0) - (a.modified ?? 0))) {
    const read = parseShape(stateFileSchema, bytes, { maxDepth: MAX_STEP_DEPTH });
    if ('value' in read && (subject ?? read.value.threadId) === read.value.threadId)
      return { file: path, value: read.value };
  }
  return undefined;
}
const MAX_STEP_DEPTH = 60;

/** Reads a run. The task and the changes are outputs of their nodes. Changes of files are not in the state. */
export function readDevLoop(files: readonly SourceFile[], subject?: string): ImportedRun {
  const reader = new SourceReader();
  const documents: Record<string, string> = {};
  let state: StateFile | undefined;
  for (const file of files) {
    const { path } = file;
    if (path === FILES.progress || path === FILES.patterns) {
      const text = reader.readText(file);
      if (text !== undefined) documents[path.replace(/\.md$/, '')] = text;
    } else if (COMPUTED[path] !== undefined) reader.notes.push(`${path} is left out: ${COMPUTED[path]}`);
    else if (path === FILES.state) {
      const value = reader.readJson(stateFileSchema, file);
      if (value) state = { file: path, value };
    }
  }
  if (!files.some(({ path }) => path === FILES.state)) {
    state = findNewestStep(files, subject);
    if (state) reader.notes.push(`${state.file} is the newest step of ${state.value.threadId}`);
  }
  if (state && state.value.changes !== null && state.value.task === null)
    reader.reject({ file: state.file, pointer: '/changes' }, 'there are changes, and no task');
  reader.throwProblems();
  const { task, threadId } = state?.value ?? {};
  const title = isJsonObject(task ?? null) ? (task as { title?: JsonValue }).title : undefined;
  return {
    pipeline: 'dev-loop',
    subject: threadId || undefined,
    task: typeof title === 'string' && title.trim() !== '' ? title : undefined,
    metadata: isJsonObject(state?.value.context ?? null) ? (state!.value.context as ImportedRun['metadata']) : {},
    gates: state ? gatesOf(state.file, state.value) : [],
    history: [],
    documents,
    notes: [...reader.notes, ...(state ? notesOf(state.value) : [])],
  };
}

function gatesOf(file: string, { task, changes }: LoopState): ImportedGate[] {
  const ids = Object.values(NODE_GATES);
  return ids.map((gate, index) => {
    const output = gate === NODE_GATES.fetchTask ? task : gate === NODE_GATES.generateChanges ? changes : null;
    const pointer = gate === NODE_GATES.fetchTask ? '/task' : '/changes';
    const needs = index === 0 ? [] : [ids[index - 1]!];
    return { gate, leg: '', needs, issues: [], place: { file, pointer }, ...(output !== null && { output }) };
  });
}

function notesOf({ testResults, error, retryCount }: LoopState): string[] {
  return [
    ...(testResults === null
      ? []
      : ['testResults are left out: the tests run again, the state does not have the files']),
    ...(error === null ? [] : ['error is left out: what failed runs again']),
    ...(retryCount === 0 ? [] : [`retryCount is left out: ${COMPUTED[FILES.retries]}`]),
  ];
}
