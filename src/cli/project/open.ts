import { stateNow } from '../../engine/entities/gate-entities.ts';
import { noteChanges } from '../../engine/plan/since-approval.ts';
import { openCall, type Assignment, type Call } from '../../engine/call/call.ts';
import { refuseWithoutGates } from '../../engine/entities/refuse-without-gates.ts';
import type { StandIns } from '../../engine/call/guide-files.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { loadPipeline, withMemory, type LoadedPipeline } from '../../local/load-pipeline.ts';
import { localPorts } from '../../local/local-ports.ts';
import { withAgentFiles } from '../../local/exchange/agent-files.ts';
import { createMirror, ignoreMirrored, mirrorFormats, type Mirror } from '../../local/exchange/mirror.ts';
import { agentStateFiles } from '../../local/state-files/agent-state-files.ts';
import { createProjector, type Projector } from '../../local/projector.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { unitsOf, type Unit, type UnitGraph } from '../../run/records/unit.ts';
import { assignmentOf } from './assignment.ts';
import { viewAt } from './moment.ts';
import { listOption, textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { noticesTo, say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';

/** The objects that nearly every command uses. */
export interface OpenProject {
  readonly loaded: LoadedPipeline;
  readonly graph: UnitGraph;
  readonly ports: EnginePorts;
  readonly assignment: Assignment;
}

/**
 * The pipeline of an invocation; with `--memory`, its gates get these documents, too; `--mirror` replaces its own.
 * @param without the command has to do without gates too. Default: a definition without any is refused
 * @throws GatelineError `OPTION_VALUE` if no gate gets one of the documents, `FORMAT_UNKNOWN`, `GATES_NONE`
 */
export async function loadFor(
  { world, options }: Pick<CommandInvocation, 'world' | 'options'>,
  without?: 'without-gates',
): Promise<LoadedPipeline> {
  const found = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  if (without === undefined) refuseWithoutGates(found.pipeline);
  const mirror = mirrorFormats(listOption(options, 'mirror'), found.pipeline);
  return { ...found, pipeline: withAskedMemory({ ...found.pipeline, mirror }, options) };
}

/** A pipeline whose gates get the documents of `--memory`. @throws GatelineError `OPTION_VALUE` as {@link loadFor} */
export function withAskedMemory(given: Pipeline, options: OptionValues): Pipeline {
  const asked = listOption(options, 'memory');
  if (asked.length === 0) return given;
  const pipeline = withMemory(given, asked);
  const unused = asked.find((name) => !pipeline.gates.some(({ memory }) => memory.includes(name)));
  if (unused === undefined) return pipeline;
  throw new GatelineError('OPTION_VALUE', `--memory ${unused}: no gate lists this document`, {
    hint: `Write \`memory: [${unused}?]\` at the gates that are to get it.`,
  });
}

/** The pipeline, the engine's ports and the assignment of an invocation. */
export async function open(
  { world, options, closing }: CommandInvocation,
  loaded: LoadedPipeline,
  access: { readonly readOnly: boolean; readonly signal?: AbortSignal },
): Promise<OpenProject> {
  const { environment, now, onDurable } = world;
  const durable = onDurable === undefined ? {} : { onDurable };
  const mirrored = access.readOnly ? [] : (loaded.pipeline.mirror ?? []);
  for (const notice of await ignoreMirrored(loaded.root, mirrored, environment)) say(world.err, `note: ${notice}`);
  const ports = await localPorts({ place: loaded, environment, now, ...access, ...durable });
  closing.push(ports.workspace);
  const assignment = await assignmentOf(world, options, loaded, ports.workspace);
  const guide = agentStateFiles(loaded, ports.store);
  const others = (loaded.pipeline.mirror ?? []).filter((name) => name !== 'state-guide');
  const from = { place: loaded, store: ports.store, environment, now: ports.now, required: false };
  const stateFiles = others.length === 0 ? guide : withAgentFiles(guide, others, from);
  return { loaded, graph: unitsOf(loaded.pipeline), ports: { ...ports, stateFiles }, assignment };
}

/** {@link openRun} for reading the run of `--run`, otherwise the newest; with `--at`, as it was then. */
export async function openToLook(invocation: CommandInvocation): Promise<OpenedRun> {
  const asked = textOption(invocation.options, 'run');
  const at = textOption(invocation.options, 'at');
  return openRun(invocation, await loadFor(invocation), { asked, where: '--run', readOnly: true, at });
}

/** Which run to open. */
export interface RunWanted {
  /** As the user named it; `undefined`: the newest. */
  readonly asked: string | undefined;
  /** The option that named it, for errors. */
  readonly where: string;
  readonly readOnly: boolean;
  /** Only what was recorded up to this record or time. */
  readonly at?: string | undefined;
}

/** A run, read. */
export interface OpenedRun extends OpenProject {
  readonly call: Call;
  /** The moment in the past that it is shown at. */
  readonly at: Date | undefined;
}

/**
 * {@link open} with the records of one run, without changes.
 * @throws GatelineError `OPTION_VALUE`, `RUN_UNKNOWN`, `MOMENT_UNKNOWN`
 */
export async function openRun(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  { asked, where, readOnly, at }: RunWanted,
): Promise<OpenedRun> {
  const { subject, number } = parseRunArgument(asked, where);
  const options = { ...invocation.options, ...(subject !== undefined && { subject }) };
  const opened = await open({ ...invocation, options }, loaded, { readOnly });
  const view = at === undefined ? undefined : await viewAt(opened, at, number);
  const { ports = opened.ports, listing, runNumber = number } = view ?? {};
  const reading = { runNumber, shows: readOnly, ...(listing && { listing }) };
  const call = await openCall(ports, opened.assignment, noticesTo(invocation.world), reading);
  await noteChanges(call);
  const records = view?.all ?? call.journal.records();
  if (
    number > 0 &&
    !records.some((record) => record.runNumber === number) &&
    call.journal.state().problems.length === 0
  ) {
    const numbers = [...new Set(records.map((record) => record.runNumber))].toSorted((a, b) => a - b);
    const known = numbers.length === 0 ? 'There are no runs yet.' : `Runs: ${numbers.slice(-20).join(', ')}.`;
    throw new GatelineError('RUN_UNKNOWN', `there is no run ${number} for ${opened.assignment.subject}`, {
      hint: `${known} \`gateline status --subjects\` lists the subjects.`,
    });
  }
  return { ...opened, graph: call.graph, call, at: view?.at };
}

/** The projections of the state guide's files for a call. */
export function projectorFor(
  world: CliWorld,
  opened: OpenProject,
  redact: (text: string) => string,
): Promise<Projector> {
  const { loaded, graph, assignment, ports } = opened;
  const durable = world.onDurable === undefined ? {} : { onDurable: world.onDurable };
  const { groups, mirror } = loaded.pipeline;
  const { metadata } = assignment;
  const about = { graph, groups, metadata, tells: mirror?.includes('state-guide') === true };
  const file = assignment.standIn?.file;
  const spares = file && { spares: (unit: Unit) => isUsable(file, unit) };
  return createProjector({ loaded, ...about, store: ports.store, redact, ...spares, ...durable });
}

/** Whether a state file of another tool may replace the output of a unit. An invalid one is refused later. */
async function isUsable(file: NonNullable<StandIns['file']>, unit: Unit): Promise<boolean> {
  try {
    return (await file(unit)) !== undefined;
  } catch (error) {
    if (error instanceof GatelineError) return true;
    throw error;
  }
}

/** The files of other systems that the pipeline asks for. */
export function mirrorFor({ environment, onDurable }: CliWorld, opened: OpenProject): Mirror {
  return createMirror(opened.loaded.pipeline.mirror ?? [], { ...opened, environment, ...(onDurable && { onDurable }) });
}

/**
 * Updates the files that people read, after a command that wrote records without driving a run.
 * @param mirrors whether those of other systems, too. Default true
 */
export async function projectOnce(world: CliWorld, opened: OpenProject, mirrors = true): Promise<RunState> {
  const call = await openCall(opened.ports, opened.assignment, () => undefined, { runNumber: 0 });
  await noteChanges(call);
  const projector = await projectorFor(world, opened, call.redactor.redactText);
  const state = await stateNow(call);
  const mirrored = mirrors ? await mirrorFor(world, opened).show(state) : [];
  for (const notice of [...(await projector.show(state)), ...mirrored]) say(world.err, `note: ${notice}`);
  return state;
}

/** A run as people name it: `N` of the current subject, or `SUBJECT#N`. */
export interface RunAsked {
  readonly subject: string | undefined;
  /** From 1; 0: the newest. */
  readonly number: number;
}

/**
 * Parses the name of a run.
 * @param where the option that named it, for the error: `--run`
 * @throws GatelineError `OPTION_VALUE`
 */
export function parseRunArgument(text: string | undefined, where: string): RunAsked {
  if (text === undefined) return { subject: undefined, number: 0 };
  const [, subject, digits] = /^(?:(.+)#)?([1-9][0-9]{0,8})$/s.exec(text) ?? [];
  if (digits !== undefined) return { subject, number: Number(digits) };
  throw new GatelineError('OPTION_VALUE', `${where} ${text}: expected a run number, or SUBJECT#NUMBER`, {
    hint: '`gateline status` prints the newest run, `gateline status --subjects` the subjects.',
  });
}
