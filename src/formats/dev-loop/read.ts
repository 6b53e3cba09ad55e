import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { FormatReading, ImportedGate, NamedDocument, SourceFile } from '../exchange.ts';
import { FileFindings } from '../findings.ts';
import { loopStateSchema, NODE_GATES, retryCountsSchema, type LoopState } from './loop-state.ts';

const DOCUMENTS: Readonly<Record<string, string>> = {
  'progress.md': 'progress',
  'learned-patterns.md': 'learned-patterns',
};

/** Files whose content is derived here, and why none of it is taken over. */
const DERIVED: Readonly<Record<string, string>> = {
  'retry-counts.json': 'attempts are counted from records',
  'metrics.json': 'metrics are computed from the history: `gateline stats`',
  'execution-state.json': 'each PRD is a subject: `gateline run --set FILE`, and `--only-set NAME` for the active set',
  'handoff.md': 'the document is written for each run: `memory: [handoff]`',
};

const STATE = 'workflow-state.json';

/** Folders of `.devloop/` that are not imported. */
export const LEFT_FOLDERS: Readonly<Record<string, string>> = {
  checkpoints:
    'they stay there: a graph with `createFileCheckpointer` of `gateline/langgraph`, and this folder, continues from them; name one to import the state in it',
};

/** Whether a file of `.devloop/` is read. */
export function isDevLoopFile(path: string): boolean {
  return path === STATE || Object.hasOwn(DOCUMENTS, path) || Object.hasOwn(DERIVED, path);
}

/** Reads the files of seed 003; see docs/recipes/from-dev-loop.md. */
export function readDevLoop(files: readonly SourceFile[]): FormatReading {
  const findings = new FileFindings();
  const documents: NamedDocument[] = [];
  const states: FoundLoopState[] = [];
  for (const file of files) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    if (Object.hasOwn(DOCUMENTS, name)) {
      const text = findings.text(file);
      if (text !== undefined) documents.push({ name: DOCUMENTS[name]!, text });
    } else if (Object.hasOwn(DERIVED, name)) {
      leaveDerived(file, name, findings);
    } else {
      const value = findings.json(file);
      const { at, inner } = stateIn(value);
      const state = value === undefined ? undefined : findings.shaped(loopStateSchema, inner, file.path, at);
      if (state !== undefined) states.push({ file: file.path, at, state });
    }
  }
  for (const { file } of states.slice(1))
    findings.refuse(file, '', `${states[0]!.file} is the state already; name one`);
  const names = new Set<string>();
  for (const { name } of documents) {
    if (names.has(name)) findings.refuse(`${name}.md`, '', 'two files are this document; name one');
    names.add(name);
  }
  const [one] = states;
  if (one === undefined) return findings.reading({ documents });
  const gates = gatesOf(one, findings);
  const task = titleOf(one.state.task);
  const { threadId } = one.state;
  return findings.reading({
    pipeline: 'dev-loop',
    ...(threadId !== '' && { subject: threadId }),
    gates,
    keys: task === undefined ? {} : { task },
    documents,
  });
}

interface FoundLoopState {
  readonly file: string;
  /** JSON pointer to the state. */
  readonly at: string;
  readonly state: LoopState;
}

/** A state is a file, or the channels of a checkpoint of the graph, alone or next to its metadata. */
function stateIn(value: JsonValue | undefined): { readonly at: string; readonly inner: JsonValue | undefined } {
  for (const path of [['channel_values'], ['checkpoint', 'channel_values']]) {
    const inner = path.reduce<JsonValue | undefined>(
      (part, key) => (isJsonObject(part) ? part[key] : undefined),
      value,
    );
    if (isJsonObject(inner)) return { at: pointerOf(path), inner };
  }
  return { at: '', inner: value };
}

function leaveDerived(file: SourceFile, name: string, findings: FileFindings): void {
  if (name.endsWith('.md')) findings.text(file);
  else {
    const value = findings.json(file);
    if (value !== undefined && !isJsonObject(value)) findings.refuse(file.path, '', 'expected an object');
    else if (name === 'retry-counts.json' && value !== undefined) findings.shaped(retryCountsSchema, value, file.path);
  }
  findings.leave(file.path, '', DERIVED[name]!);
}

/** The task and the changes are outputs of the nodes that made them. What a node did to files is not in the state. */
function gatesOf({ file, at, state }: FoundLoopState, findings: FileFindings): ImportedGate[] {
  const { task, changes } = state;
  if (changes !== null && task === null) findings.refuse(file, `${at}/changes`, 'there are changes, and no task');
  if (state.testResults !== null && changes === null)
    findings.refuse(file, `${at}/testResults`, 'there are test results, and no changes');
  const leave = (isThere: boolean, key: string, reason: string): void => {
    if (isThere) findings.leave(file, `${at}/${key}`, reason);
  };
  leave(true, 'threadId', 'it is the `subject` of a new definition; otherwise `--subject` names what a run is about');
  leave(state.context !== null, 'context', '`metadata` and `inputs` of the definition are the context');
  leave(state.testResults !== null, 'testResults', 'the tests run again: the state does not have the files');
  leave(state.error !== null, 'error', 'what failed runs again');
  leave(state.retryCount > 0, 'retryCount', DERIVED['retry-counts.json']!);
  leave(true, 'handoffContext', DERIVED['handoff.md']!);
  const outputs: Readonly<Record<string, JsonValue>> = {
    [NODE_GATES.fetchTask]: task,
    [NODE_GATES.generateChanges]: changes,
  };
  // Of the two last nodes, one follows the analysis of a success and the other that of a failure.
  const chain = Object.values(NODE_GATES).slice(0, 5);
  return Object.values(NODE_GATES).map((gate, index): ImportedGate => {
    const output = outputs[gate] ?? null;
    const pointer = `${at}/${gate === NODE_GATES.fetchTask ? 'task' : 'changes'}`;
    const needs = chain.slice(Math.max(0, Math.min(index, 5) - 1), Math.min(index, 5));
    return { gate, needs, place: { file, pointer }, ...(output !== null && { output }) };
  });
}

function titleOf(task: LoopState['task']): string | undefined {
  const title = isJsonObject(task) ? task['title'] : undefined;
  return typeof title === 'string' && title.trim() !== '' && title.length <= 4_096 ? title : undefined;
}
