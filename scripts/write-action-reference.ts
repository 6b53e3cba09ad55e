/**
 * Writes docs/reference/action.md from action.yml and from the code's descriptions of its inputs.
 * `node scripts/write-action-reference.ts`; a test checks that the page is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { INPUT_USES } from '../src/action/inputs/input-uses.ts';
import { COMMAND_NAMES, type CommandName } from '../src/action/inputs/command-names.ts';
import { INPUT_NAMES, type InputName } from '../src/action/inputs/inputs-schema.ts';

/** The documented part of `action.yml`. */
export interface ActionMetadata {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}

/**
 * Inputs that exist only for their default in `action.yml`: the runner passes these values to an action in no other
 * way.
 */
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

/** Markdown tables for other pages: the inputs of a command that define a gate, and all outputs. */
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

Inputs (\`with:\`) and outputs (\`steps.<id>.outputs\`) of the action. For examples, see the
[recipes for GitHub Actions](../README.md#recipes-for-github-actions).

- An input that has no effect with the command of the step is an error, or a notice if it does no harm. All errors are reported together.
- A blank input is treated as not set.
- An unknown input is ignored with a notice, because variables \`INPUT_…\` of the job reach every action in it. Only a likely typo, such as \`treshold\`, is an error, with \`run\` and \`begin\`.
- A list has one entry per line, or is a JSON list. \`[]\` is the empty list.
- If an input needs an expression, write it as \`\${{ toJSON(needs) }}\`.

## Inputs

${inputTable(metadata, others)}

## Inputs that describe a gate

Use these inputs if you have no \`gateline.yml\`. With a \`gateline.yml\`, which already defines the gate, they are errors. They have the same meaning, defaults and checks
as the [keys with the same name](gateline-yml.md).

${inputTable(metadata, describing)}

## Inputs set by their defaults

The runner passes these values to an action only through inputs.

${inputTable(metadata, internal)}

## Which input belongs to which command

| input | ${COMMAND_NAMES.map((name) => `\`${name}\``).join(' | ')} |
| --- | ${COMMAND_NAMES.map(() => ':-:').join(' | ')} |
${INPUT_NAMES.filter((name) => !internal.includes(name))
  .map(usesRow)
  .join('\n')}

With other commands, an input marked "error" fails the step; one marked "notice" is ignored with a notice.

## Outputs

All outputs except \`value\` are numbers, paths and words that Gateline writes. They are safe in a shell command.

${outputTable(metadata)}
`;
}

function usesRow(name: InputName): string {
  const { commands, elsewhere } = INPUT_USES[name];
  const mark = (command: CommandName): string => (commands.includes(command) ? 'yes' : elsewhere);
  return `| \`${name}\` | ${COMMAND_NAMES.map(mark).join(' | ')} |`;
}

/** Text for a table cell: HTML syntax and cell separators are shown literally. */
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
