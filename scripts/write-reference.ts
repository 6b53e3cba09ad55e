/**
 * Writes docs/reference/cli.md and docs/reference/errors.md from the code. `node scripts/write-reference.ts`; a test
 * checks that the pages are up to date.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CommandSpec } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { BUSY_ERRORS, CONFLICT_ERRORS, EXIT_CODES, EXIT_MEANINGS } from '../src/cli/exit-codes.ts';
import { CLI_VARIABLES } from '../src/environment.ts';
import { CODE_SECTIONS } from '../src/errors/error-codes.ts';
import { type CodeOrigin } from '../src/errors/code-meaning.ts';

/** The pages, by path in this repository. */
export function referencePages(): Record<string, string> {
  return { 'docs/reference/cli.md': cliPage(), 'docs/reference/errors.md': errorsPage() };
}

function cliPage(): string {
  const sections = COMMANDS.map(commandSection);
  return `# Command line

\`gateline COMMAND [options]\`. Options come after the command, in any order; \`--option VALUE\` and \`--option=VALUE\` are the same.
\`gateline help COMMAND\` prints the same, \`gateline --version\` the version.

The definition is \`gateline.yml\` (or \`.github/gateline.yml\`) in this folder or the nearest folder above it, so the command works
anywhere in a workspace. A definition with another name (\`--file\`) belongs to the current folder, and keeps its state in
\`.state/<pipeline>/\`.

Results go to standard output. With \`--json\`, progress and errors go to standard error; without it, progress goes to standard
output. On a terminal, progress is a live table. Elsewhere, and if \`CI\` is set, it is plain lines, and after
30 seconds of silence a line that shows what is still running. Both show how much longer the run takes, if every gate
that will run has run before.

| command | what it does |
| --- | --- |
${COMMANDS.map((command) => `| [\`${command.name}\`](#gateline-${command.name}) | ${command.summary} |`).join('\n')}

## Exit codes

| code | meaning |
| --- | --- |
${Object.entries(EXIT_CODES)
  .map(([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT_CODES].long} |`)
  .join('\n')}

If several codes apply to a \`gateline run\`, the exit code is the first of 130, 75, 2, 74, 1, 3.

## Environment

| variable | what it does |
| --- | --- |
| \`${CLI_VARIABLES.noColor}\` | any value: no colours |
| \`${CLI_VARIABLES.forceColor}\` | any value but \`0\`: colours without a terminal |
| \`${CLI_VARIABLES.ci}\` | any value but \`false\`: plain lines instead of live progress |
| \`${CLI_VARIABLES.terminal}\` | \`dumb\`: plain lines |
| \`${CLI_VARIABLES.token}\` | the claim from \`gateline begin\`, for \`gateline complete\` |
| \`${CLI_VARIABLES.user}\`, \`${CLI_VARIABLES.windowsUser}\` | who decides, without \`--actor\` and git's \`user.email\` |
| \`${CLI_VARIABLES.trees}\` | folder for work trees; overrides \`trees\` of [gateline.yml](gateline-yml.md#workspace) |

See also: files and variables of agents in [the agent protocol](../agent-protocol.md), the output of \`--json\` in [JSON output](json-output.md), and
error codes in [errors](errors.md).

${sections.join('\n\n')}
`;
}

function commandSection(command: CommandSpec): string {
  const { name, positionals, options, description, examples } = command;
  const usage = positionals.map((one) => (one.required ? ` ${one.name}` : ` [${one.name}]`)).join('');
  const rows = [
    ...positionals.map((one) => [one.name, one.help]),
    ...options.map((option) => [
      `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`,
      `${option.help}${option.multiple ? '; can be repeated' : ''}`,
    ]),
  ];
  return `## \`gateline ${name}\`

\`\`\`text
gateline ${name}${usage} [options]
\`\`\`

${description.split('\n').map(cell).join('\n\n')}

| option | meaning |
| --- | --- |
${rows.map(([left, right]) => `| \`${left!}\` | ${cell(right!)} |`).join('\n')}

${examples.map((example) => `\`\`\`sh\n# ${example.what}\n${example.command}\n\`\`\``).join('\n\n')}`;
}

const ORIGINS: Readonly<Record<CodeOrigin, string>> = {
  user: 'you (exit code 2)',
  agent: 'agent (the gate fails)',
  platform: 'platform (exit code 74)',
  gateline: 'Gateline (exit code 70)',
  definition: 'definition',
  contract: 'contract',
  state: 'state',
};

function originText(code: string, origin: CodeOrigin): string {
  if (origin !== 'user') return ORIGINS[origin];
  if (CONFLICT_ERRORS.has(code)) return `you (exit code ${EXIT_CODES.gateFailed})`;
  return BUSY_ERRORS.has(code) ? `you (exit code ${EXIT_CODES.busy})` : ORIGINS[origin];
}

function errorsPage(): string {
  const sections = CODE_SECTIONS.map(({ title, codes }) => {
    const rows = Object.entries(codes).map(
      ([code, { from, means, remedy }]) =>
        `| \`${code}\` | ${from.map((origin) => originText(code, origin)).join(', ')} | ${cell(means)} | ${cell(remedy)} |`,
    );
    return `## ${title}\n\n| code | from | what it means | what to do |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  });
  return `# Errors

Every error has a stable code; its message is for people and can change. With \`--json\` an error is a JSON document
([JSON output](json-output.md)).

- **you**: a definition, an option or an input is wrong; the message says what to change.
- **agent**: the program that a gate runs did something wrong.
- **platform**: disk, git or a service failed; retrying may help.
- **Gateline**: a bug. Please report it.
- **definition**, **contract**: a problem in the list of \`PIPELINE_INVALID\` or \`CONTRACT_INVALID\`, with its place.
- **state**: something in the store is invalid. It is reported next to the result (\`problems\`, "Warning: …"), and no error is thrown.

An output that fails its contract is not an error of Gateline but a verdict; its kinds are in [contracts](contract.md).

${sections.join('\n\n')}
`;
}

/** Text for a table cell or paragraph: HTML syntax and cell separators are shown literally. */
function cell(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(referencePages()))
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
