import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AgentResult } from '../../agent/agent.ts';
import { inheritedVariables } from '../../agent/environment.ts';
import { ENTITY_LOCKS_VARIABLE, readEntityLocks } from '../../environment.ts';
import { GatelineError } from '../../errors.ts';
import { didYouMean } from '../../json/did-you-mean.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { CommandDefinition } from '../../pipeline/pipeline.ts';
import type { EntityChange } from '../../run/entity/change.ts';
import { findInvalidName, type Names } from '../../run/entity/instances.ts';
import { endEntities, findSetUp, readEntities, takeEntities, type EntityRequest } from './entities.ts';
import type { Order, Ports } from '../ports.ts';

/** A command of the definition, with its arguments. */
export interface CommandCall {
  readonly command: string;
  readonly args: Names;
  /** Absolute path of the folder that it works in. */
  readonly root: string;
  /** Wait for entities that somebody else changes. Default: false, that is an error. */
  readonly waits?: boolean;
}

/** How a command ended. */
export interface CommandResult {
  readonly command: string;
  readonly status: 'passed' | 'failed';
  /** Its standard output, parsed if it is JSON. Undefined: empty. */
  readonly value?: JsonValue;
  /** Why it failed. */
  readonly message?: string;
  readonly changes: readonly EntityChange[];
  /** Commands that ran before it, to make valid what it requires. */
  readonly setUp: readonly string[];
}

/** Required entities that are not valid, and the commands that would make them valid; empty, if none can. */
export interface CommandCheck {
  readonly missing: readonly string[];
  readonly setUp: readonly string[];
}

/** @throws GatelineError `usage` naming the command that was meant */
export function requireCommand({ pipeline: { commands } }: Order, id: string): CommandDefinition {
  if (Object.hasOwn(commands, id)) return commands[id]!;
  const ids = Object.keys(commands);
  const hint = didYouMean(id, ids) ?? (ids.length === 0 ? 'Add it under `commands`.' : `It has ${ids.join(', ')}.`);
  throw new GatelineError('usage', `the definition has no command ${id}`, { hint });
}

/**
 * Runs a command to its end. Entities that it creates are valid if it ends with exit code 0; those that it invalidates
 * are invalid from its start.
 * @param ran set-up commands that ran already: each runs once
 * @throws InvalidStateError if something that it requires is not valid; GatelineError `busy` (ENTITY_BUSY), `usage`
 */
export async function runCommand(
  ports: Ports,
  order: Order,
  { command, args, root, waits = false }: CommandCall,
  signal: AbortSignal,
  ran: Set<string> = new Set(),
): Promise<CommandResult> {
  const use = requireCommand(order, command);
  const argv = fillSyntax(order, command, args);
  const { effects } = await readEntities(ports, order);
  const missing = use.onInvalid === 'recover' ? effects.missing(use.requires, args) : [];
  const setUp = missing.length > 0 ? await setUpEntities(ports, order, missing, root, signal, ran) : [];

  const id = randomUUID();
  const place = { subject: 'do', run: 0, unit: `${command}.${process.pid}.${id}`, n: 1 };
  const directory = await ports.attempts.create(place);
  try {
    const agent = await ports.agents.prepare({
      directory,
      command: '',
      argv,
      shell: '',
      workingDirectory: root,
      env: {
        ...inheritedVariables(ports.environment),
        GATELINE_ENTITIES: join(directory, 'entities.json'),
        GATELINE_ARGS: join(directory, 'args.json'),
        [ENTITY_LOCKS_VARIABLE]: [...readEntityLocks(ports.environment), id].join('\n'),
      },
      timeoutMs: use.timeoutMinutes * 60_000,
      redactor: order.redactor,
      onLine: (stream, text) => ports.observe({ type: 'output', unit: command, stream, line: text }),
    });
    const shownArgs = order.redactor.json({ ...args }).value as Names;
    const processes = agent.process ? [agent.process] : [];
    const request: EntityRequest = { id, by: { command, args: shownArgs }, use, args: shownArgs, processes };
    const onWait = ({ message }: GatelineError) => ports.observe({ type: 'notice', message: `waiting: ${message}` });
    const values = await takeEntities(ports, order, request, waits ? { signal, onWait } : undefined).catch(
      async (error: unknown) => {
        // Ends the prepared process, which waits for `run`.
        await agent.run(AbortSignal.abort());
        throw error;
      },
    );
    await ports.attempts.write(directory, 'entities.json', JSON.stringify(values));
    await ports.attempts.write(directory, 'args.json', JSON.stringify(args));
    const result = await agent.run(signal);
    const message = failureOf(result, use);
    const outcome = message === undefined ? 'passed' : 'failed';
    const value = valueOf(result.stdout);
    const changes = await endEntities(ports, order, request, { outcome, value, returns: use.returns });
    return { command, status: outcome, value, message, changes, setUp };
  } finally {
    await ports.attempts.remove(place);
  }
}

/**
 * Runs the commands that make entities valid, each once in a call.
 * @returns those that ran: entities may still be invalid afterwards
 */
export async function setUpEntities(
  ports: Ports,
  order: Order,
  missing: readonly string[],
  root: string,
  signal: AbortSignal,
  ran: Set<string>,
): Promise<readonly string[]> {
  const { effects } = await readEntities(ports, order);
  const commands = (findSetUp(order, effects, missing) ?? []).filter((id) => !ran.has(id));
  const done: string[] = [];
  for (const command of commands) {
    ran.add(command);
    ports.observe({ type: 'notice', message: `${command} runs first: ${missing.join(', ')} is not valid` });
    const result = await runCommand(ports, order, { command, args: {}, root, waits: true }, signal, ran);
    done.push(...result.setUp, command);
    if (result.status === 'passed') continue;
    ports.observe({ type: 'notice', message: `${command} failed: ${result.message}` });
    break;
  }
  return done;
}

/** What a command printed: JSON, else the text without its line end. */
function valueOf(stdout: string): JsonValue | undefined {
  const text = stdout.replace(/\r?\n$/, '');
  if (text === '') return undefined;
  const parsed = parseJson(new TextEncoder().encode(text));
  return parsed.ok ? parsed.value : text;
}

function failureOf(result: AgentResult, { timeoutMinutes, creates }: CommandDefinition): string | undefined {
  if (result.outcome === 'exited' && result.exitCode === 0) {
    const isHalf = result.isStdoutCut && creates.length > 0 && /^\s*\{/.test(result.stdout);
    return isHalf ? 'it printed more JSON than a value can have (1 MiB)' : undefined;
  }
  if (result.outcome === 'exited') return `it ended with exit code ${result.exitCode}`;
  if (result.outcome === 'not-started') return result.message;
  if (result.outcome === 'signalled') return `it was ended by ${result.signal}`;
  return result.outcome === 'timeout' ? `it worked longer than ${timeoutMinutes} minutes` : 'it was interrupted';
}

/**
 * The program and its arguments. Blanks separate words, quotes keep them; `<name>` is replaced by its argument, as a
 * part of one word.
 * @throws GatelineError `usage` for arguments that are missing, unknown, or would be options or all instances
 */
function fillSyntax({ pipeline: { commands, entities } }: Order, id: string, args: Names): string[] {
  const { syntax, requires, creates, invalidates } = commands[id]!;
  const refuse = (name: string, problem: string, hint: string): never => {
    throw new GatelineError('usage', `${id}: the argument ${name} ${problem}`, { hint });
  };
  const known = [...syntax.matchAll(/<([\w-]+)>/g)].map(([, name]) => name!);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    refuse(unknown, 'is unknown', didYouMean(unknown, known) ?? (known.length > 0 ? known.join(', ') : 'It has none.'));
  for (const entity of [...requires, ...creates, ...invalidates]) {
    const name = Object.hasOwn(entities, entity) ? findInvalidName(entity, entities[entity]!, args) : undefined;
    if (name) refuse(name, 'is empty or too long', `It names an instance of ${entity}.`);
  }
  let isAfterDashes = false;
  return [...syntax.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => {
    const text = word.replace(/"([^"]*)"|'([^']*)'/g, (_, a?: string, b?: string) => a ?? b ?? '');
    isAfterDashes ||= text === '--';
    return text.replace(/<([\w-]+)>/g, (_, name: string) => {
      const value = Object.hasOwn(args, name) ? args[name]! : refuse(name, 'is missing', `--arg ${name}=VALUE`);
      if (value.includes('\0')) refuse(name, 'has the character NUL', 'A program cannot be given it.');
      if (value.startsWith('-') && text === `<${name}>` && !isAfterDashes)
        refuse(name, 'begins with -: it would be taken for an option', `Write \`-- <${name}>\` in \`syntax\`.`);
      return value;
    });
  });
}

/** Checks what a command requires, without running it. */
export async function checkCommand(
  ports: Ports,
  order: Order,
  { command, args }: Pick<CommandCall, 'command' | 'args'>,
): Promise<CommandCheck> {
  const { requires } = requireCommand(order, command);
  const { effects } = await readEntities(ports, order);
  const missing = effects.missing(requires, args);
  return { missing, setUp: findSetUp(order, effects, missing) ?? [] };
}
