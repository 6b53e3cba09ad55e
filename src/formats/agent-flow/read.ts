import { z } from 'zod';
import type { JsonObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { readYaml } from '../../pipeline/read-yaml.ts';
import { SourceReader, splitFrontMatter, type ImportedGate, type ImportedRun, type SourceFile } from '../format.ts';
import { COMPLETE, membersOf, orchestrationSchema, titleOf, type Orchestration } from './orchestration.ts';

const phase = z.enum(['pending', 'in_progress', 'complete']);
const agents = z.int().min(0).max(1_000_000);

/** The front matter of a deep dive of agent-flow. */
const deepDiveSchema = z.looseObject({
  generated: z.iso.datetime({ offset: true }),
  scope: z.enum(['full', 'focused']),
  focus_path: z.string().max(4_096).nullable(),
  expires_hint: z.string().max(1_000),
  phase: z.enum(['exploring', 'synthesizing', 'complete']),
  agent_count: agents,
  phases: z.looseObject({
    parallel_exploration: z.looseObject({ status: phase, agents_spawned: agents, agents_completed: agents }),
    synthesis: z.looseObject({ status: phase }),
    compilation: z.looseObject({ status: phase }),
  }),
});

/** The front matter of a deep dive; undefined: the document has no such front matter. */
export function deepDiveHeader(document: string): z.infer<typeof deepDiveSchema> | undefined {
  const read = readYaml(splitFrontMatter(document)?.header ?? '', 'deep-dive');
  return read.ok ? deepDiveSchema.safeParse(read.yaml.value).data : undefined;
}

interface FlowFile {
  readonly file: string;
  readonly state: Orchestration;
  /** By title of the phase, from the log, because the front matter of a team does not name agents. */
  readonly agents: ReadonlyMap<string, string>;
}

/** Reads a run. Gates that passed are completed. Their outputs are result, message and time: agent-flow stores no other. */
export function readAgentFlow(files: readonly SourceFile[]): ImportedRun {
  const reader = new SourceReader();
  const documents: Record<string, string> = {};
  const runs: FlowFile[] = [];
  for (const file of files) {
    const isDive = file.path.endsWith('deep-dive.local.md');
    const read = reader.readFrontMatter<Orchestration | z.infer<typeof deepDiveSchema>>(
      isDive ? deepDiveSchema : orchestrationSchema,
      file,
    );
    if (read === undefined) continue;
    if (isDive) documents['deep-dive'] = read.text;
    else runs.push({ file: file.path, state: read.value as Orchestration, agents: agentsIn(read.body) });
  }
  const active = runs.length === 1 ? runs : runs.filter(({ state }) => state.active);
  if (runs.length > 0 && active.length !== 1)
    reader.reject({ file: runs[1]!.file, pointer: '/active' }, `exactly one of it and ${runs[0]!.file} may be active`);
  const [run] = active;
  if (run) rejectContradictions(run, reader);
  reader.throwProblems();
  for (const { file } of runs) if (file !== run?.file) reader.notes.push(`${file} is not active: left out`);
  if (run) addNotes(run.state, documents, reader.notes);
  const gates = run ? gatesOf(run) : [];
  return {
    pipeline: 'agent-flow',
    task: run?.state.task,
    metadata: {},
    gates,
    history: [],
    documents,
    notes: reader.notes,
  };
}

function agentsIn(log: string): ReadonlyMap<string, string> {
  const phases = log.matchAll(/^### Phase: ([^\r\n]+)\r?\n- Agent: ([^\r\n]+)\r?$/gm);
  return new Map([...phases].map(([, title, agent]) => [title!, agent!]));
}

/** The steps in order: a gate, or the gates of a group. */
function stepsOf({ gates, parallel_groups: groups = {} }: Orchestration): string[][] {
  const groupFor = (id: string) => Object.keys(groups).find((name) => Object.hasOwn(membersOf(groups[name]!), id));
  const ids = Object.keys(gates).filter((id) => !Object.hasOwn(groups, id));
  return [...Map.groupBy(ids, (id) => groupFor(id) ?? id).values()];
}

function gatesOf({ file, state, agents: named }: FlowFile): ImportedGate[] {
  const { gates, parallel_groups: groups = {} } = state;
  const members = Object.assign({}, ...Object.values(groups).map(membersOf)) as ReturnType<typeof membersOf>;
  return stepsOf(state).flatMap((ids, index, steps) =>
    ids.map((id) => {
      const { status, timestamp, agent, message } = gates[id]!;
      const { result = '', agent: other } = members[id] ?? {};
      const output: JsonObject = {
        ...(result !== '' && { result }),
        ...(message !== undefined && { message }),
        ...(timestamp !== undefined && { timestamp }),
      };
      return {
        gate: id,
        leg: '',
        agent: agent ?? other ?? named.get(titleOf(id)),
        needs: steps[index - 1] ?? [],
        ...(status === 'passed' && { output }),
        issues: status === 'failed' && (message ?? result) ? [message ?? result] : [],
        time: timestamp === '' ? undefined : timestamp,
        place: { file, pointer: pointerOf(['gates', id]) },
      };
    }),
  );
}

/** Rejects a file whose parts contradict each other. */
function rejectContradictions({ file, state }: FlowFile, reader: SourceReader): void {
  const { gates, parallel_groups: groups = {}, current_phase: current } = state;
  const reject = (path: readonly string[], message: string) =>
    reader.reject({ file, pointer: pointerOf(path) }, message);
  const statusOf = (id: string) => (Object.hasOwn(gates, id) ? gates[id]!.status : undefined);
  for (const [id, group] of Object.entries(groups)) {
    const members = Object.entries(membersOf(group));
    for (const [name, { status }] of [[id, group] as const, ...members]) {
      const other = statusOf(name);
      const path = ['parallel_groups', id, ...(name === id ? [] : [name]), 'status'];
      if (other === undefined && name !== id) reject(path, `there is no gate ${name} under gates`);
      else if (other !== undefined && other !== status) reject(path, `it is ${status}, and ${other} under gates`);
    }
    const open = members.find(([, { status }]) => status !== 'passed');
    if (group.status === 'passed' && open)
      reject(['parallel_groups', id, 'status'], `it has passed, and ${open[0]} has not`);
  }
  const steps = stepsOf(state);
  const isOpen = (id: string) => statusOf(id) !== 'passed';
  const first = steps.findIndex((ids) => ids.some(isOpen));
  const waiting = steps[first]?.find(isOpen);
  for (const id of first < 0 ? [] : steps.slice(first + 1).flat())
    if (!isOpen(id)) reject(['gates', id, 'status'], `it has passed, and ${waiting} before it has not`);
  if (current === COMPLETE && waiting !== undefined)
    reject(['current_phase'], `it is ${COMPLETE}, and ${waiting} has not passed`);
  if (current !== COMPLETE && statusOf(current) === undefined && !Object.hasOwn(groups, current))
    reject(['current_phase'], `there is no gate ${current}`);
  if (state.iteration > state.max_iterations)
    reject(['iteration'], `it is ${state.iteration}, and max_iterations is ${state.max_iterations}`);
}

/** Notes what was not imported. */
function addNotes(state: Orchestration, documents: Readonly<Record<string, string>>, notes: string[]): void {
  const { gates, iteration, max_iterations: limit, deep_dive: dive } = state;
  const open = Object.keys(gates).filter((id) => gates[id]!.status === 'failed' || gates[id]!.status === 'in_progress');
  if (open.length > 0)
    notes.push(`${open.join(', ')} did not pass: ${open.length === 1 ? 'it runs' : 'they run'} again`);
  if (iteration > 1) notes.push(`iteration ${iteration} is not taken over: the run counts from 1`);
  notes.push(
    `max_iterations is ${limit}: \`on-fail: {goto: GATE, max-iterations: ${limit}}\` at the gates that send work back`,
  );
  if (dive.using) notes.push('a deep dive was in use: gates with `memory: [deep-dive]` get the document');
  if (dive.available && documents['deep-dive'] === undefined)
    notes.push('the deep dive itself, deep-dive.local.md, is not among the files');
}
