import type { JsonValue } from '../../json/json.ts';
import { setUpLines, type Command } from '../../pipeline/entities/entities.ts';
import { resolveUse } from '../../run/entity/resolve-use.ts';
import type { EndedRecord } from '../../run/records/record.ts';
import { carryOut, claimCommand, commandNamed } from '../entities/command-attempt.ts';
import { notValid, otherInstances, refuseUnusable, setUpFor, whyMissing } from '../entities/refuse-unusable.ts';
import { checkArguments, commandWords, shownArguments } from '../entities/command-words.ts';
import { viewEntities } from '../entities/view-entities.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import type { EnginePorts, Observer } from '../ports.ts';

/** A command that somebody wants to run. */
export interface CommandAsked {
  readonly command: string;
  /** Its arguments, by name. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly observe: Observer;
  /** Aborted on Ctrl-C: the command is ended, and that is recorded. */
  readonly signal: AbortSignal;
  /** Absolute path of the folder that the command runs in. Default: the user's. */
  readonly folder?: string | undefined;
  /** The caller tries again while somebody is in the way: two commands that would wait for each other are refused. */
  readonly waits?: boolean | undefined;
}

/** What came of it. */
export interface CommandRan {
  readonly ended: EndedRecord;
  /** What it printed: JSON, or a text. `undefined`: nothing, or it failed. */
  readonly value: JsonValue | undefined;
  /** Ids of the set-up commands that ran before it, in order. */
  readonly setup: readonly string[];
}

/**
 * Runs a command in the user's folder, and records it. With `on-invalid: recover`, the commands that create what it
 * lacks run first; if one of them fails, its end is returned.
 * @throws InvalidStateError; GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`, `ENTITY_BUSY`,
 *   `RECORD_TOO_NEW`
 */
export async function runCommand(ports: EnginePorts, assignment: Assignment, asked: CommandAsked): Promise<CommandRan> {
  const { command, first, lines } = await planCommand(ports, assignment, asked);
  const setup: string[] = [];
  for (const [at, one] of first.entries()) {
    setup.push(one.id);
    await asked.observe({ type: 'notice', message: lines[at]! });
    const { ended } = await runOne(ports, assignment, { ...asked, arguments: {} }, one);
    if (ended.verdict.status !== 'passed') return { ended, value: undefined, setup };
  }
  return { ...(await runOne(ports, assignment, asked, command, setup)), setup };
}

/** A command that can run now, and what runs before it. */
export interface PlannedCommand {
  readonly command: Command;
  readonly first: readonly Command[];
  /** Why, a line for each of `first`. */
  readonly lines: readonly string[];
  /** The programs with their arguments, without secrets: those of `first`, and that of the command. */
  readonly words: readonly (readonly string[])[];
}

/**
 * The set-up commands that would run before a command now. Runs and writes nothing.
 * @throws as {@link runCommand}
 */
export async function planCommand(
  ports: EnginePorts,
  assignment: Assignment,
  asked: Pick<CommandAsked, 'command' | 'arguments' | 'observe' | 'waits'>,
): Promise<PlannedCommand> {
  const command = commandNamed({ assignment }, asked.command);
  checkArguments({ assignment }, command, asked.arguments);
  const call = await openNewest(ports, assignment, asked.observe);
  const given = shownArguments(call, asked.arguments);
  const asking = { ...(await viewEntities(call)), given };
  const resolved = resolveUse(command, asking);
  const own = commandWords(command, given);
  if (command.onInvalid === 'recover' && resolved.missing.length > 0) {
    const setup = setUpFor(call, asking, resolved.missing);
    if (setup.unreachable.length > 0) throw notValid(call, command.id, setup.unreachable, asking);
    const words = [...setup.order.map((one) => commandWords(one, {})), own];
    return { command, first: setup.order, lines: setUpLines(setup, command.id), words };
  }
  await refuseUnusable(call, { by: command.id, resolved, waits: asked.waits }, asking);
  return { command, first: [], lines: [], words: [own] };
}

/**
 * What a command requires that is not valid now, the commands that would create it, in order, and what else there is to
 * say about it.
 * @param given its arguments, which may name instances; without any, each instance will do
 * @throws GatelineError `COMMAND_NOT_DEFINED`, `COMMAND_ARGUMENT_REFUSED`
 */
export async function checkRequires(
  ports: EnginePorts,
  assignment: Assignment,
  id: string,
  given: Readonly<Record<string, string>> = {},
): Promise<{ readonly missing: readonly string[]; readonly setup: readonly string[]; readonly hint?: string }> {
  const command = commandNamed({ assignment }, id);
  if (Object.keys(given).length > 0) checkArguments({ assignment }, command, given);
  const call = await openNewest(ports, assignment, () => undefined);
  const asking = { ...(await viewEntities(call)), given: shownArguments(call, given) };
  const { missing } = resolveUse(command, asking);
  if (missing.length === 0) return { missing, setup: [] };
  const { details, hint } = notValid(call, id, missing, asking);
  // The commands are in `setup`.
  const said = details.setup.length > 0 ? [whyMissing(missing, asking), otherInstances(id, missing, asking)] : [hint];
  const text = said.filter(Boolean).join(' ');
  return { missing, setup: details.setup, ...(text !== '' && { hint: text }) };
}

/** @param setup ids of the commands that ran for it */
async function runOne(
  ports: EnginePorts,
  assignment: Assignment,
  { arguments: given, observe, signal, folder, waits }: CommandAsked,
  command: Command,
  setup: readonly string[] = [],
): Promise<Omit<CommandRan, 'setup'>> {
  const order = { command, given, folder, waits };
  const { exclusively = (work) => work() } = ports;
  const { call, started } = await exclusively(async () => {
    const opened = await openNewest(ports, assignment, observe);
    for (const id of setup) opened.recovery.ran.add(id);
    const { runNumber, runAttempt } = opened.journal.call;
    // In the newest call: what a run that works now records next comes after it.
    const place = { runNumber, runAttempt: Math.max(1, runAttempt), n: opened.journal.nextAttempt(command.id) };
    return { call: opened, started: await claimCommand(opened, order, place) };
  });
  return carryOut(call, order, started, signal);
}

/** The records as they are, without beginning a run. */
function openNewest(ports: EnginePorts, assignment: Assignment, observe: Observer): Promise<Call> {
  return openCall(ports, assignment, observe, { runNumber: 0 });
}
