import {
  decideEntities,
  effectsOfCommand,
  entityNamed,
  readEntities,
  type EntityChange,
  type EntityChanged,
} from '../../engine/commands/decide-entities.ts';
import { readValue } from '../../engine/entities/view-entities.ts';
import { checkRequires } from '../../engine/commands/run-command.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { uaspStatus, type UaspManifest } from '../../formats/uasp/status.ts';
import type { JsonValue } from '../../json/json.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { columnsTable } from '../../report/terminal/columns.ts';
import { oneLine } from '../../report/text.ts';
import { entityKey, type EntityState } from '../../run/entity/entity-state.ts';
import type { Asking } from '../../run/entity/resolve-use.ts';
import { endOf, whyNotValid } from '../../run/entity/why-not-valid.ts';
import { instanceMeant } from '../../run/entity/instances.ts';
import type { Entity } from '../../pipeline/entities/entities.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { listOption, textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { noticesTo, say } from '../output/say.ts';
import { readInput } from '../project/assignment.ts';
import { decisionMadeBy } from '../project/decision.ts';
import { open, type OpenProject } from '../project/open.ts';
import { exportDefinition, importFiles } from './skills.ts';
import { argumentsGiven } from './arguments-given.ts';
import { loadAround } from './around.ts';
import { patiently } from './patiently.ts';
import { ENTITY_ACTIONS, type EntityAction } from './actions.ts';

const HELP = '`gateline help entities` says what each action needs.';

/** `gateline entities [ACTION] [NAME]`. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { positionals, options } = invocation;
  const [word = 'show', name] = positionals;
  const action = actionNamed(word);
  refuseIdle(options, action);
  if (['manifest', 'import', 'export'].includes(action) && name !== undefined)
    throw new GatelineError('ARGUMENT_UNEXPECTED', `entities ${action}: ${oneLine(name)} is one argument too many`, {
      ...(action === 'import' && { hint: `Pass the file with --from: \`--from ${oneLine(shellWord(name))}\`.` }),
    });
  if (name === undefined && ['check', 'apply', 'create', 'invalidate'].includes(action))
    throw new GatelineError('ARGUMENT_MISSING', `entities ${action}: NAME is missing`, { hint: HELP });
  switch (action) {
    case 'show':
      return showEntities(invocation, name);
    case 'manifest':
      return showManifest(invocation);
    case 'import':
      return importFiles(invocation);
    case 'export':
      return exportDefinition(invocation);
    case 'check':
      return showMissing(invocation, name!);
    case 'apply':
    case 'create':
    case 'invalidate':
    case 'reset':
      return change(invocation, action, name);
  }
}

function actionNamed(word: string): EntityAction {
  const action = ENTITY_ACTIONS.find((one) => one === word);
  if (action !== undefined) return action;
  const meant = didYouMean(word, ENTITY_ACTIONS);
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('OPTION_VALUE', `entities: there is no action ${oneLine(word)}${suggestion}`, {
    hint: `Actions: ${ENTITY_ACTIONS.join(', ')}.`,
  });
}

/** Rejects options without an effect: the user expects one. */
function refuseIdle(options: OptionValues, action: EntityAction): void {
  const isRead = !['apply', 'create', 'invalidate', 'reset'].includes(action);
  const refuse = (option: string): void => {
    if (options[option] !== undefined)
      throw new GatelineError('OPTION_CONFLICT', `--${option} cannot be used with entities ${action}`);
  };
  if (action !== 'create' && action !== 'apply') refuse('value');
  if (action !== 'check' && action !== 'apply') refuse('arg');
  if (action !== 'import') refuse('from');
  for (const option of isRead ? ['reason', 'actor', 'wait'] : []) refuse(option);
}

async function openToRead(invocation: CommandInvocation): Promise<OpenProject> {
  const { loaded, inRun } = await loadAround(invocation);
  return open(inRun, loaded, { readOnly: true });
}

async function showEntities(invocation: CommandInvocation, name: string | undefined): Promise<ExitCode> {
  const { world, options } = invocation;
  const { ports, assignment } = await openToRead(invocation);
  const { call, view } = await readEntities(ports, assignment);
  const wanted = name === undefined ? undefined : parseName(name);
  if (wanted !== undefined) entityNamed({ assignment }, wanted.entity);
  const rows = view.entities
    .filter((entity) => wanted === undefined || entity.name === wanted.entity)
    .flatMap((entity) => chosenOf(rowsOf(entity.name, view), entity, wanted?.instance));
  const json = async (row: EntityRow): Promise<object> => {
    const value = wanted === undefined || row.content === null ? undefined : await readValue(call, row.content);
    return wanted === undefined ? row : { ...row, value: value ?? null };
  };
  if (options['json']) {
    const subject = assignment.subject;
    const entities = await Promise.all(rows.map(json));
    printJson(world, { format: 'gateline-entities/1', pipeline: assignment.pipeline.id, subject, entities });
    return EXIT_CODES.ok;
  }
  if (rows.length === 0) say(world.out, nothingToShow(name));
  else world.out.write(columnsTable(COLUMNS, rows, { width: world.out.columns }));
  // Instances that were created together have one value.
  const contents = new Map(rows.flatMap(({ content }) => (content === null ? [] : [[content.digest, content]])));
  for (const content of wanted === undefined ? [] : contents.values()) {
    const value = await readValue(call, content);
    if (value !== undefined) world.out.write(`${shownJson(world, value)}\n`);
  }
  return EXIT_CODES.ok;
}

/** The rows of the instance that a person names; `undefined`: all. */
function chosenOf(rows: readonly EntityRow[], entity: Entity, asked: string | undefined): readonly EntityRow[] {
  if (asked === undefined) return rows;
  const own = rows.filter(({ instance }) => instance === asked);
  return own.length > 0 ? own : rows.filter(({ instance }) => instance === instanceMeant(entity, asked));
}

/** On a terminal without characters that it would act on: JSON only escapes some of them. */
function shownJson({ out }: CommandInvocation['world'], value: JsonValue): string {
  const text = JSON.stringify(value, null, 2);
  return out.interactive ? forTerminal(text) : text;
}

function nothingToShow(name: string | undefined): string {
  if (name === undefined) return 'There are no entities. Add them under `entities` in gateline.yml.';
  return `There is no ${oneLine(name)}. \`gateline entities show ${oneLine(parseName(name).entity)}\` lists the instances.`;
}

/** One instance as it is shown: `absent` stands for an entity without any. */
interface EntityRow {
  readonly entity: string;
  readonly instance: string;
  readonly status: 'absent' | 'valid' | 'expired' | 'invalid';
  readonly by: string | null;
  readonly at: string | null;
  readonly reason: string | null;
  /** When its life ends. */
  readonly until: string | null;
  readonly content: NonNullable<EntityState['value']> | null;
}

const COLUMNS = [
  { head: 'entity', cell: (row: EntityRow) => oneLine(entityKey(row)) },
  { head: 'status', cell: (row: EntityRow) => row.status },
  { head: 'by', cell: (row: EntityRow) => oneLine(row.by ?? '') },
  { head: 'at', cell: (row: EntityRow) => row.at ?? '' },
  {
    head: 'reason',
    cell: (row: EntityRow) => oneLine(row.reason ?? (row.until === null ? '' : `until ${row.until}`)),
    // The last one: what it says at its end, such as a time, is what somebody looks for.
    most: Infinity,
  },
];

function rowsOf(name: string, asking: Asking): EntityRow[] {
  const own = [...asking.states.values()].filter((state) => state.entity === name);
  if (own.length === 0) {
    const none = { by: null, at: null, reason: null, until: null, content: null };
    return [{ entity: name, instance: '', status: 'absent', ...none }];
  }
  return own.map((state) => {
    const { entity, instance, valid, by, at, value = null } = state;
    const why = whyNotValid(state, asking);
    const status = why === undefined ? 'valid' : valid ? 'expired' : 'invalid';
    return { entity, instance, status, by, at, reason: why ?? null, until: endOf(state) ?? null, content: value };
  });
}

async function showManifest(invocation: CommandInvocation): Promise<ExitCode> {
  const { ports, assignment } = await openToRead(invocation);
  const { view } = await readEntities(ports, assignment);
  const state = uaspStatus(view.entities, view.states, view.now);
  const manifest: UaspManifest = { loaded_skills: [{ name: assignment.pipeline.id, state }] };
  printJson(invocation.world, manifest);
  return EXIT_CODES.ok;
}

async function showMissing(invocation: CommandInvocation, id: string): Promise<ExitCode> {
  const { world, options } = invocation;
  const { ports, assignment } = await openToRead(invocation);
  const given = argumentsGiven(listOption(options, 'arg'));
  const { missing, setup, hint } = await checkRequires(ports, assignment, id, given);
  if (options['json']) printJson(world, { format: 'gateline-entities-check/1', command: id, missing, setup });
  else if (missing.length === 0) say(world.out, `${oneLine(id)} can run`);
  else {
    say(world.out, `${oneLine(id)} requires what is not valid: ${missing.join(', ')}`);
    for (const one of setup) say(world.out, `  gateline do ${one}`);
    if (hint !== undefined) say(world.out, `  ${oneLine(hint)}`);
  }
  return missing.length === 0 ? EXIT_CODES.ok : EXIT_CODES.gateFailed;
}

async function change(
  invocation: CommandInvocation,
  action: 'apply' | 'create' | 'invalidate' | 'reset',
  name: string | undefined,
): Promise<ExitCode> {
  const { world, options } = invocation;
  const { loaded, inRun } = await loadAround(invocation);
  const by = await decisionMadeBy(world, options, loaded);
  const file = textOption(options, 'value');
  const value = file === undefined ? undefined : await readInput(world, file);
  const controller = new AbortController();
  using _listener = world.onInterrupt(() => controller.abort());
  const { ports, assignment } = await open(inRun, loaded, { readOnly: false, signal: controller.signal });
  const changes: EntityChange[] =
    action === 'apply'
      ? effectsOfCommand({ assignment }, name!, value, argumentsGiven(listOption(options, 'arg')))
      : name === undefined
        ? (assignment.pipeline.resources?.entities ?? []).map((entity) => ({ action, entity: entity.name }))
        : [{ action, ...parseName(name), ...(value !== undefined && { value }) }];
  const record = (): Promise<EntityChanged[]> => decideEntities(ports, assignment, changes, by, noticesTo(world));
  const done = await (options['wait'] === true ? patiently(record, controller.signal) : record());
  if (options['json']) {
    const shown = done.map((one) => ({ ...one, instance: one.instance || null }));
    printJson(world, { format: 'gateline-entities-change/1', ...by, changes: shown });
  } else for (const one of done) say(world.out, `${oneLine(entityKey(one))}: ${one.action} by ${oneLine(by.actor)}`);
  return EXIT_CODES.ok;
}

/**
 * `resource/resource_1`: an instance.
 * @throws GatelineError `OPTION_VALUE` if it has no name: that would be all of them
 */
function parseName(name: string): { readonly entity: string; readonly instance?: string } {
  const at = name.indexOf('/');
  if (at < 0) return { entity: name };
  if (at < name.length - 1) return { entity: name.slice(0, at), instance: name.slice(at + 1) };
  throw new GatelineError('OPTION_VALUE', `entities: ${oneLine(name)}: the name of the instance is missing`, {
    hint: `Without the slash it is about all of them.`,
  });
}
