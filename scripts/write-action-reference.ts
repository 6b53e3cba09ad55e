/**
 * Writes docs/reference/action.md from action.yml and from what the code says of its inputs.
 * `node scripts/write-action-reference.ts`; a test holds the page equal to what this would write.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { COMMAND_NAMES, INPUT_USES, type CommandName } from '../src/action/input-uses.ts';
import { INPUT_NAMES, type InputName } from '../src/action/inputs-schema.ts';

/** `action.yml`, as far as it is told of. */
export interface ActionMetadata {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}

/** Inputs whose default in `action.yml` is what they are for: the runner knows, and tells an action nowhere else. */
export const FOR_THEIR_DEFAULT: ReadonlySet<InputName> = new Set([
  'job-status',
  'matrix',
  'workflow-file',
  'workflow-repository',
  'workflow-sha',
  'check-run-id',
]);

const PAGE = 'docs/reference/action.md';

/** Reads action.yml of this repository. */
export function actionMetadata(): ActionMetadata {
  return parse(readFileSync(new URL('../action.yml', import.meta.url), 'utf8')) as ActionMetadata;
}

/** The pages, by path in this repository. */
export function actionPages(metadata: ActionMetadata = actionMetadata()): Record<string, string> {
  return { [PAGE]: page(metadata) };
}

/** Markdown tables for whoever shows them elsewhere: the inputs of a command that say what a gate is or does, and all outputs. */
export function inputTable(metadata: ActionMetadata, names: readonly InputName[]): string {
  const rows = names.map((name) => {
    const { description, default: value } = metadata.inputs[name]!;
    const written = value === undefined ? '' : ` Default: \`${value}\`.`;
    return `| \`${name}\` | ${cell(description + written)} |`;
  });
  return `| input | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

export function outputTable(metadata: ActionMetadata): string {
  const rows = Object.entries(metadata.outputs).map(
    ([name, { description }]) => `| \`${name}\` | ${cell(description)} |`,
  );
  return `| output | meaning |\n| --- | --- |\n${rows.join('\n')}`;
}

function page(metadata: ActionMetadata): string {
  const describing = INPUT_NAMES.filter((name) => INPUT_USES[name].describes === true);
  const internal = INPUT_NAMES.filter((name) => FOR_THEIR_DEFAULT.has(name));
  const others = INPUT_NAMES.filter((name) => !describing.includes(name) && !internal.includes(name));
  return `# The action

What a step with this action may say (\`with:\`), and what it answers (\`steps.<id>.outputs\`). Inputs that do nothing with the command
of the step are errors, all told at once; where no harm is done they are notices. Blank inputs count as not given. An unknown input is ignored with a notice,
since a variable \`INPUT_…\` of the job reaches every action in it; only a slip such as \`treshold\` is an error, with \`run\` and \`begin\`.
How they are used: the [recipes for GitHub Actions](../README.md#recipes-for-github-actions).

Lists are one entry a line, or a JSON list; \`[]\` is the empty list. Where an expression is asked for, write it as
\`\${{ toJSON(needs) }}\`.

## Inputs

${inputTable(metadata, others)}

## Inputs that describe a gate

For a gate without a \`gateline.yml\`. Next to one they are errors: it says all this. They mean what the keys of the same name mean
[there](gateline-yml.md), with the same defaults and checks.

${inputTable(metadata, describing)}

## Inputs that are there for their default

The runner tells an action these things in no other way.

${inputTable(metadata, internal)}

## Which input belongs to which command

| input | ${COMMAND_NAMES.map((name) => `\`${name}\``).join(' | ')} |
| --- | ${COMMAND_NAMES.map(() => ':-:').join(' | ')} |
${INPUT_NAMES.filter((name) => !internal.includes(name))
  .map(usesRow)
  .join('\n')}

Elsewhere an input marked "error" ends the step; one marked "notice" does nothing and says so.

## Outputs

All but \`value\` are numbers, paths and words of Gateline itself, safe in a shell line.

${outputTable(metadata)}
`;
}

function usesRow(name: InputName): string {
  const { commands, elsewhere } = INPUT_USES[name];
  const mark = (command: CommandName): string => (commands.includes(command) ? 'yes' : elsewhere);
  return `| \`${name}\` | ${COMMAND_NAMES.map(mark).join(' | ')} |`;
}

/** Text for a cell of a table: what looks like HTML or ends a cell shows as it is. */
function cell(text: string): string {
  return text
    .trim()
    .replaceAll('\n', ' ')
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(actionPages())) writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
