import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { InvalidStateError } from '../../errors.ts';
import type { Gateline } from '../../gateline.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { renderTable, safeLine, safeText } from '../../report/table.ts';
import { addDeciderOptions, addFileOption, openGateline, type TargetOptions } from '../options.ts';
import { paintOf, type AddAction } from '../print.ts';
import { interruptOn, type ProcessContext } from '../process-context.ts';

interface EntityOptions extends TargetOptions {
  readonly arg?: Record<string, string>;
  readonly check?: boolean;
  readonly wait?: boolean;
  readonly value?: JsonValue;
  readonly result?: JsonValue;
  readonly reason?: string;
  readonly actor?: string;
}

/** `do`, `entities`: commands, and the entities that they create and invalidate. */
export function addEntityCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const run = addFileOption(program.command('do').argument('<command>', 'a command of the definition'))
    .description('run a command, if the entities that it requires are valid')
    .addOption(argOption())
    .option('--check', 'only show required entities that are not valid; exit 1 if there are any')
    .option('--wait', 'wait until nobody else changes its entities; default: exit 75');
  addAction<EntityOptions>(run, async ({ arg: args, check, wait, ...options }, command) => {
    if (check) return checkAnswer(await (await open(context, options)).entities.check(command, args), command);
    using interruption = interruptOn(context);
    const gateline = await open(context, options, command);
    const result = await gateline.entities.do(command, { args, wait, signal: interruption.signal });
    const failure = result.message === undefined ? '' : `${command} failed: ${result.message}\n`;
    context.err.write(failure && `${safeText(failure)}\n`);
    return { json: result, text: '', exit: result.status === 'passed' ? 0 : 1 };
  });

  const entities = addFileOption(program.command('entities').argument('[name]', 'only this one')).description(
    'show or change entities',
  );
  addAction<EntityOptions>(entities, async (options, name) => {
    const views = await (await open(context, options)).entities.list(name);
    const text = renderTable(
      [
        { head: 'entity', cell: ({ entity, instance }) => (instance ? `${entity}/${instance}` : entity), max: 60 },
        { head: 'status', cell: ({ status, user }) => (user ? `${status}, ${user} works on it` : status) },
        { head: 'by', cell: ({ by }) => by },
        { head: 'since', cell: ({ at }) => at },
        { head: 'expires', cell: ({ expiresAt }) => expiresAt },
        { head: 'value', cell: ({ value }) => (value === undefined ? '' : JSON.stringify(value)), max: 60 },
        { head: 'why', cell: ({ cause }) => cause, max: 60 },
      ],
      views,
      { paint: paintOf(context.out), width: context.out.columns },
    );
    return { json: { entities: views }, text: text || 'The definition has no entities.' };
  });

  const states = new Argument('<status>', 'its new status').choices(['valid', 'invalid', 'absent']);
  const set = addDeciderOptions(
    addFileOption(entities.command('set').argument('<name>', 'an entity, or entity/instance')),
    false,
  )
    .addArgument(states)
    .description('set an entity valid, invalid or absent')
    .addOption(jsonOption('--value <json>', 'its value'));
  addAction<EntityOptions>(set, async ({ value, ...options }, name, to) =>
    changesAnswer(await (await open(context, options)).entities.set(name, to as 'valid', value, options)),
  );
  const apply = addDeciderOptions(addFileOption(entities.command('apply').argument('<command>', 'a command')), false)
    .description('record what a command that ran elsewhere has created and invalidated')
    .addOption(jsonOption('--result <json>', 'its standard output'))
    .addOption(argOption());
  addAction<EntityOptions>(apply, async ({ result, arg: args, ...options }, command) =>
    changesAnswer(await (await open(context, options)).entities.apply(command, result, args, options)),
  );
  const reset = addDeciderOptions(
    addFileOption(entities.command('reset').argument('[name]', 'default: all entities')),
    false,
  ).description('forget entities, as if they had never existed');
  addAction<EntityOptions>(reset, async (options, name) =>
    changesAnswer(await (await open(context, options)).entities.reset(name, options)),
  );
}

/** Opens the folder and prints output of commands live. @param command its standard output goes to ours, the rest to stderr */
async function open(context: ProcessContext, options: TargetOptions, command?: string): Promise<Gateline> {
  return openGateline(context, options, (event) => {
    if (event.type === 'notice') context.err.write(`note: ${safeText(event.message)}\n`);
    if (event.type !== 'output') return;
    const isAnswer = event.stream === 'stdout' && event.unit === command && !options.json;
    // Only terminals get shortened lines.
    if (isAnswer) context.out.write(`${safeLine(event.line, context.out.isInteractive ? undefined : Infinity)}\n`);
    else context.err.write(`${safeLine(event.line)}\n`);
  });
}

function checkAnswer(check: Awaited<ReturnType<Gateline['entities']['check']>>, command: string) {
  const { missing, setUp } = check;
  const lines = setUp.map((id) => `\`gateline do ${id}\` makes it valid`);
  const text =
    missing.length === 0 ? `${command} can run` : [new InvalidStateError(missing).message, ...lines].join('\n');
  return { json: check, text, exit: missing.length === 0 ? 0 : 1 };
}

function changesAnswer(changes: Awaited<ReturnType<Gateline['entities']['set']>>) {
  const states = new Map(changes.map(({ entity, instance, to }) => [`${entity}${instance && `/${instance}`}`, to]));
  const lines = [...states].map(([name, state]) => safeText(`${name}: ${state}`));
  return { json: { changes }, text: lines.join('\n') || 'Nothing changed.' };
}

function argOption(): Option {
  return new Option('--arg <name=value>', 'an argument; may be repeated').argParser(
    (text: string, earlier: Record<string, string> | undefined) => {
      const at = text.indexOf('=');
      if (at < 1) throw new InvalidArgumentError('It must be name=value.');
      return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) };
    },
  );
}

function jsonOption(flags: string, description: string): Option {
  return new Option(flags, `${description}, as JSON`).argParser((text: string) => {
    const parsed = parseJson(new TextEncoder().encode(text));
    if (parsed.ok) return parsed.value;
    throw new InvalidArgumentError(`It must be JSON: ${parsed.message}. Text is in quotes: '"text"'.`);
  });
}
