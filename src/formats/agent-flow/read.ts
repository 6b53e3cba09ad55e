import { pointerOf } from '../../json/pointer.ts';
import type { JsonObject } from '../../json/json.ts';
import { DEEP_DIVE, deepDiveHeader } from './deep-dive.ts';
import type { FormatReading, ImportedGate, NamedDocument, SourceFile } from '../exchange.ts';
import { FileFindings } from '../findings.ts';
import { COMPLETE, orchestrationSchema, title, type FlowStatus, type Orchestration } from './orchestration.ts';

const NAMES = ['orchestration.local.md', 'team-orchestration.local.md', 'deep-dive.local.md'] as const;

/** Whether a file of `.claude/` belongs to agent-flow. */
export function isAgentFlowFile(path: string): boolean {
  return NAMES.some((name) => path === name);
}

interface FoundOrchestration {
  readonly file: string;
  readonly state: Orchestration;
  /** Agents by the titles of phases. */
  readonly agents: ReadonlyMap<string, string>;
}

/** Reads the files of seed 002; see docs/recipes/from-agent-flow.md. */
export function readAgentFlow(files: readonly SourceFile[]): FormatReading {
  const findings = new FileFindings();
  const dives = files.filter(({ path }) => nameOf(path) === 'deep-dive.local.md');
  const others = files.filter((file) => !dives.includes(file));
  const documents = dives.flatMap((file) => documentOf(file, findings) ?? []);
  const found = others.flatMap((file) => orchestrationIn(file, findings) ?? []);
  const active = found.length === 1 ? found : found.filter(({ state }) => state.active);
  if (found.length > 0 && active.length !== 1)
    for (const { file } of found.slice(1))
      findings.refuse(file, '/active', `${found[0]!.file} says the same gates: exactly one of the files may be active`);
  const [one] = active;
  if (one === undefined || active.length > 1) return findings.reading({ documents });
  for (const other of found) if (other !== one) findings.notes.push(`${other.file} is not active, and not used`);
  contradictionsIn(one, findings);
  nameUnmoved(one, findings);
  if (one.state.deep_dive.available && documents.length === 0)
    findings.leave(one.file, '/deep_dive', 'the document itself, deep-dive.local.md, is not among the files');
  const groups = Object.entries(one.state.parallel_groups ?? {}).map(([id, { members }]) => [id, Object.keys(members)]);
  const keys: JsonObject = {
    task: one.state.task,
    ...(groups.length > 0 && { groups: Object.fromEntries(groups) as JsonObject }),
  };
  return findings.reading({ pipeline: 'agent-flow', gates: gatesOf(one), keys, documents });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function documentOf(file: SourceFile, findings: FileFindings): NamedDocument | undefined {
  if (findings.frontMatter(file) === undefined) return undefined;
  const text = findings.text(file)!;
  if (deepDiveHeader(text) === undefined)
    return findings.refuse(file.path, '', 'its front matter is not that of a deep dive');
  return { name: DEEP_DIVE, text };
}

function orchestrationIn(file: SourceFile, findings: FileFindings): FoundOrchestration | undefined {
  const read = findings.frontMatter(file);
  const state = read && findings.shaped(orchestrationSchema, read.header, file.path);
  if (state === undefined) return undefined;
  const agents = [...read!.body.matchAll(/^### Phase: ([^\r\n]+)\r?\n- Agent: ([^\r\n]+)\r?$/gm)];
  return { file: file.path, state, agents: new Map(agents.map(([, phase, agent]) => [phase!, agent!])) };
}

/** The phases in order: a group is one step with several gates. */
function stepsOf({ gates, parallel_groups: groups = {} }: Orchestration): string[][] {
  const grouped = new Map(
    Object.entries(groups).flatMap(([id, { members }]) => Object.keys(members).map((one) => [one, id])),
  );
  const steps = new Map<string, string[]>();
  for (const id of Object.keys(gates)) {
    if (Object.hasOwn(groups, id)) continue;
    const step = grouped.get(id) ?? id;
    steps.set(step, [...(steps.get(step) ?? []), id]);
  }
  return [...steps.values()];
}

function gatesOf({ file, state, agents }: FoundOrchestration): ImportedGate[] {
  const members = new Map(Object.values(state.parallel_groups ?? {}).flatMap((group) => Object.entries(group.members)));
  return stepsOf(state).flatMap((ids, index, steps) =>
    ids.map((id): ImportedGate => {
      const { status, timestamp, agent = agents.get(title(id)), message } = state.gates[id]!;
      const member = members.get(id);
      const who = agent ?? member?.agent;
      const said = {
        ...(message !== undefined && { message }),
        ...(member !== undefined && member.result !== '' && { result: member.result }),
        ...(timestamp !== undefined && { timestamp }),
      };
      return {
        gate: id,
        ...(who !== undefined && who !== '' && { agent: who }),
        ...contractOf(id, status, { message, result: member?.result }),
        needs: steps[index - 1] ?? [],
        place: { file, pointer: pointerOf(['gates', id]) },
        ...(status === 'passed' && { output: said }),
      };
    }),
  );
}

/** Labels with which agent-flow's own members of a group pass. */
const LABELS: Readonly<Record<string, string>> = { review: 'APPROVED', verification: 'VERIFIED' };

/** A result such as `APPROVED` that can be a label in a contract. Others are the details of an error. */
const LABEL = /^\w[\w .-]{0,99}$/;

/** Where an output has what agent-flow shows of a gate. A member that has passed says with which label one passes. */
function contractOf(
  id: string,
  status: FlowStatus,
  { message, result }: { readonly message: string | undefined; readonly result: string | undefined },
): Pick<ImportedGate, 'contract'> {
  const hasPassed = status === 'passed';
  const label = hasPassed ? result : result === undefined ? undefined : LABELS[id];
  const contract: JsonObject = {
    ...(label !== undefined && LABEL.test(label) && { result: { pointer: '/result', pass: [label] } }),
    ...((!hasPassed || message?.trim()) && { message: '/message' }),
  };
  return Object.keys(contract).length === 0 ? {} : { contract };
}

/** Where the parts of a file contradict each other. None is guessed. */
function contradictionsIn({ file, state }: FoundOrchestration, findings: FileFindings): void {
  const { gates, parallel_groups: groups = {}, current_phase: phase } = state;
  const refuse = (path: readonly string[], message: string): void => findings.refuse(file, pointerOf(path), message);
  const statusOf = (id: string): string | undefined => (Object.hasOwn(gates, id) ? gates[id]!.status : undefined);
  for (const [id, { status, members }] of Object.entries(groups)) {
    const own = statusOf(id);
    if (own !== undefined && own !== status)
      refuse(['parallel_groups', id, 'status'], `it is ${status}, and ${own} under gates`);
    for (const [name, member] of Object.entries(members)) {
      const other = statusOf(name);
      if (other === undefined) refuse(['parallel_groups', id, name], 'there is no such gate under gates');
      else if (other !== member.status)
        refuse(['parallel_groups', id, name, 'status'], `it is ${member.status}, and ${other} under gates`);
    }
    const open = Object.entries(members).find(([, member]) => member.status !== 'passed');
    if (status === 'passed' && open !== undefined)
      refuse(['parallel_groups', id, 'status'], `it has passed, and ${open[0]} has not`);
  }
  const steps = stepsOf(state);
  const open = steps.findIndex((ids) => ids.some((id) => gates[id]!.status !== 'passed'));
  const waiting = steps[open]?.find((id) => gates[id]!.status !== 'passed');
  for (const id of open < 0 ? [] : steps.slice(open + 1).flat())
    if (gates[id]!.status === 'passed')
      refuse(['gates', id, 'status'], `it has passed, and ${waiting} before it has not`);
  if (phase === COMPLETE && waiting !== undefined)
    refuse(['current_phase'], `it is ${COMPLETE}, and ${waiting} has not passed`);
  if (phase !== COMPLETE && statusOf(phase) === undefined && !Object.hasOwn(groups, phase))
    refuse(['current_phase'], 'there is no such gate');
  if (state.iteration > state.max_iterations)
    refuse(['iteration'], `it is ${state.iteration}, and max_iterations is ${state.max_iterations}`);
}

function nameUnmoved({ file, state }: FoundOrchestration, findings: FileFindings): void {
  findings.leave(file, '/started_at', 'records have the time of the import');
  findings.leave(file, '/current_phase', 'it follows from what is done');
  for (const [id, { status }] of Object.entries(state.gates))
    if (!Object.hasOwn(state.parallel_groups ?? {}, id) && (status === 'in_progress' || status === 'failed'))
      findings.leave(file, pointerOf(['gates', id]), `it is ${status}, so it runs again`);
  if (state.iteration > 1) findings.leave(file, '/iteration', 'iterations are counted from decisions of the run');
  findings.leave(
    file,
    '/max_iterations',
    '`on-fail: {goto: GATE, max-iterations: N}` also says where work goes back to',
  );
  if (state.mode === 'sequential') findings.leave(file, '/mode', '`mode: sequential` of the group, or `--sequential`');
  if (state.deep_dive.using)
    findings.leave(file, '/deep_dive/using', 'gates that list `memory: [deep-dive]` get the document');
  findings.leave(file, '', 'the log: it is made from records');
}
