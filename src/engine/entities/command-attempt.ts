import type { AgentResult } from '../../agent/agent.ts';
import { AGENT_VARIABLES, REQUESTS_AROUND, WITHHELD_FROM_AGENTS } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { canonicalJson, digestOfJson } from '../../json/canonical-json.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Command } from '../../pipeline/entities/entities.ts';
import { resolveUse, type ResolvedUse } from '../../run/entity/resolve-use.ts';
import { entityKey } from '../../run/entity/entity-state.ts';
import type { Content, EndedRecord, StartedRecord } from '../../run/records/record.ts';
import { failed, type Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call/call.ts';
import { keepJson, keepLogs } from '../call/content.ts';
import { checkArguments, commandWords, shownArguments } from './command-words.ts';
import { effectsOf, nameUnknown, recordedUses } from './created.ts';
import { endLostCommands, recordedProcesses } from './left-processes.ts';
import { refuseUnusable, requestsAround } from './refuse-unusable.ts';
import { learnCommands, readValue, resourcesOf, viewEntities } from './view-entities.ts';

/** The largest output of a command, in bytes. */
const OUTPUT_LIMIT = 8 * 1024 * 1024;
/** The largest value of an entity that is part of the request itself. */
const INLINE_LIMIT = 1024 * 1024;

/** A command with its arguments. */
export interface CommandOrder {
  readonly command: Command;
  readonly given: Readonly<Record<string, string>>;
  /** Absolute path of the folder that it runs in. Default: the user's. */
  readonly folder?: string | undefined;
  /** Variables that it does not get: secrets of gates that it does not run for. Default: none. */
  readonly withheld?: ReadonlySet<string>;
  /** Whether the caller tries again until nobody is in the way. */
  readonly waits?: boolean | undefined;
}

/** The position of a command's record among those of its run. */
export type CommandPosition = Pick<StartedRecord, 'runNumber' | 'runAttempt' | 'n'> & {
  /** In a job: the leg of its records, and its place among the commands of the job. */
  readonly inJob?: { readonly leg: string; readonly order: number };
};

/** The command with this id. @throws GatelineError `COMMAND_NOT_DEFINED` */
export function commandNamed(call: Pick<Call, 'assignment'>, id: string): Command {
  const { commands } = resourcesOf(call);
  const command = commands.find((one) => one.id === id);
  if (command !== undefined) return command;
  const names = commands.map((one) => one.id);
  throw new GatelineError('COMMAND_NOT_DEFINED', `there is no command ${id}`, {
    hint:
      names.length === 0 ? 'Add it under `commands` in gateline.yml.' : `Commands: ${names.slice(0, 50).join(', ')}.`,
  });
}

/**
 * Claims a command: from here on, what it invalidates is invalid. The caller does it within `exclusively`.
 * @throws InvalidStateError; GatelineError `ENTITY_BUSY`, `ENTITY_HELD`, `COMMAND_ARGUMENT_REFUSED`
 */
export async function claimCommand(
  call: Call,
  { command, given, waits }: CommandOrder,
  place: CommandPosition,
): Promise<StartedRecord> {
  const words = checkArguments(call, command, given);
  await learnCommands(call);
  await endLostCommands(call);
  const asking = { ...(await viewEntities(call)), given: shownArguments(call, given) };
  const resolved = resolveUse(command, asking);
  await refuseUnusable(call, { by: command.id, resolved, waits }, asking);
  await nameUnknown(call, asking, resolved.invalidates);
  const { store } = call.ports;
  const request = call.redactor.redactJson(await requestOf(call, { command, given }, words, resolved)).value;
  const contract = await call.contracts.load(contractOf(command));
  await store.put(canonicalJson(contract.contract as unknown as JsonValue));
  const kept = await keepJson(store, request);
  const started: StartedRecord = {
    kind: 'started',
    ...call.journal.identity({ gate: { id: command.id }, leg: { id: place.inJob?.leg ?? '' } }, place.n),
    runNumber: place.runNumber,
    runAttempt: place.runAttempt,
    fingerprint: digestOfJson(request),
    contract: contract.digest,
    needs: {},
    command: true,
    request: kept.digest,
    entities: { ...recordedUses(call, resolved, place), ...(place.inJob && { order: place.inJob.order }) },
    holder: 'process',
  };
  if ((await call.journal.write(started)) === 'taken')
    throw new GatelineError('GATE_CLAIMED', `${command.id}: another process recorded something at the same time`);
  return started;
}

function contractOf({ id }: Command): Parameters<Call['contracts']['load']>[0] {
  const contract = { schema: undefined, score: undefined, threshold: 0, partial: 'block' as const, checks: [] };
  return { id, contract, exports: [''] };
}

async function requestOf(
  call: Call,
  { command, given }: CommandOrder,
  words: readonly string[],
  { requires }: ResolvedUse,
): Promise<JsonObject> {
  const entities: JsonObject = {};
  for (const { entity, instance, value } of requires) {
    const isSmall = value !== undefined && value.bytes <= INLINE_LIMIT;
    const inline = isSmall ? await readValue(call, value) : undefined;
    // Arguments may name several instances of one entity.
    const key = Object.hasOwn(entities, entity) ? entityKey({ entity, instance }) : entity;
    entities[key] = {
      instance,
      digest: value?.digest ?? null,
      ...(inline !== undefined && { value: inline }),
    };
  }
  const { pipeline } = call.assignment;
  return {
    format: 'gateline-command/1',
    pipeline: pipeline.id,
    command: command.id,
    words: [...words],
    arguments: { ...given },
    entities,
  };
}

/** What a command did. */
export interface CommandResult {
  readonly ended: EndedRecord;
  /** What it printed: JSON, or a text. `undefined`: nothing, or it failed. */
  readonly value: JsonValue | undefined;
}

/** Runs a claimed command, and records how it ended. */
export async function carryOut(
  call: Call,
  order: CommandOrder,
  started: StartedRecord,
  signal: AbortSignal,
): Promise<CommandResult> {
  let result: AgentResult;
  try {
    result = await start(call, order, started, signal);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await end(call, order, started, { outcome: 'not-started', message, stdout: '', stderr: '' });
    throw error;
  }
  return end(call, order, started, result);
}

async function start(
  call: Call,
  { command, given, folder, withheld }: CommandOrder,
  started: StartedRecord,
  signal: AbortSignal,
): Promise<AgentResult> {
  const { agent, commands, attempts, environment, workspace, store } = call.ports;
  const directory = await (commands ?? attempts).create(started);
  const request = await store.get(started.request);
  if (request.state === 'present') await directory.write('request.json', [Buffer.from(request.value).toString('utf8')]);
  const around = requestsAround(environment);
  const inherited = Object.entries(environment).filter(
    ([name, value]) => value !== undefined && !WITHHELD_FROM_AGENTS.test(name) && withheld?.has(name) !== true,
  ) as [string, string][];
  return agent.run({
    directory: directory.path,
    command: '',
    argv: commandWords(command, given),
    shell: '',
    workingDirectory: folder ?? workspace.root,
    env: {
      ...Object.fromEntries(inherited),
      [AGENT_VARIABLES.request]: directory.pathOf('request.json'),
      ...(around.length > 0 && { [REQUESTS_AROUND]: around.join('\n') }),
    },
    ...(command.leaves && { leaves: true }),
    timeoutMs: command.timeoutMinutes * 60_000,
    logLimit: OUTPUT_LIMIT,
    signal,
    onLine: (stream, line, goesOn) => void call.observe({ type: 'line', unit: command.id, stream, line, goesOn }),
    redact: (text) => call.redactor.redactText(text),
    redactStream: () => call.redactor.createStream(),
  });
}

async function end(
  call: Call,
  { command, given }: CommandOrder,
  started: StartedRecord,
  result: AgentResult,
): Promise<CommandResult> {
  const verdict = verdictOn(command, result);
  const isUsed = verdict.status === 'passed' && (command.returns !== undefined || command.creates.length > 0);
  const value = isUsed ? printed(result.stdout) : undefined;
  const clean = value === undefined ? undefined : call.redactor.redactJson(value).value;
  const output: Content | undefined = clean === undefined ? undefined : await keepJson(call.ports.store, clean);
  const processes = recordedProcesses(call, result);
  const passed = verdict.status === 'passed' && command.creates.length > 0;
  const ended: EndedRecord = {
    kind: 'ended',
    ...call.journal.identity({ gate: { id: command.id }, leg: { id: started.leg } }, started.n),
    runNumber: started.runNumber,
    runAttempt: started.runAttempt,
    fingerprint: started.fingerprint,
    contract: started.contract,
    needs: {},
    command: true,
    how: 'ran',
    verdict,
    startedAt: started.at,
    ...(output && { value: output, exports: output }),
    ...(passed && {
      effects: await effectsOf(call, command, output, {
        by: command.id,
        given: shownArguments(call, given),
        processes,
      }),
    }),
    files: [],
    touched: [],
    logs: await keepLogs(call, result),
    ...(result.exitCode !== undefined && { exitCode: result.exitCode }),
    ...(result.signal !== undefined && { signal: result.signal }),
  };
  if ((await call.journal.write(ended)) === 'taken')
    throw new GatelineError('RECORD_TAKEN', `${command.id}: its end is recorded already`);
  if (!passed && result.left !== undefined) {
    const { attempts, commands = attempts, agent } = call.ports;
    await agent.endLeftovers(commands.pathOf(started), { left: result.left });
  }
  return { ended, value: clean };
}

/** What a command printed: JSON if it is that, else the text without the line break at its end. */
function printed(text: string): JsonValue | undefined {
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed === '') return undefined;
  const parsed = parseJson(Buffer.from(trimmed));
  return parsed.ok ? parsed.value : trimmed;
}

const PASSED: Verdict = { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' };

function verdictOn(
  { id, timeoutMinutes }: Command,
  { outcome, exitCode, signal, message, stdout }: AgentResult,
): Verdict {
  switch (outcome) {
    case 'not-started':
      return failed('not-started', `The command could not be started: ${message ?? 'the system gave no reason'}.`);
    case 'timeout':
      return failed('timeout', `It took longer than ${timeoutMinutes} minutes and was stopped. Raise timeout-minutes.`);
    case 'cancelled':
      return failed('cancelled', 'It was stopped before it ended.');
    case 'signalled':
      return failed('agent-error', `${id} was ended by ${signal ?? 'a signal'}.`);
    case 'exited':
      if (exitCode !== 0) return failed('agent-error', `${id} ended with exit code ${exitCode ?? 'unknown'}.`);
      // The middle of what it printed is not known.
      if (Buffer.byteLength(stdout) >= OUTPUT_LIMIT)
        return failed('too-large', `It printed more than ${OUTPUT_LIMIT} bytes.`);
      return PASSED;
  }
}
