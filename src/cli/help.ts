import { wrapLines, wrapWords } from '../report/text.ts';
import type { CommandSpec, OptionSpec } from './command.ts';
import { EXIT_CODES, EXIT_MEANINGS } from './exit-codes.ts';

/** Wider lines are hard to read. */
const WIDEST = 100;
/** If less room than this is left, an option's help goes on the next line. */
const ROOM_FOR_HELP = 30;

/**
 * `gateline help`: the purpose, the commands, and how to start.
 * @param columns of the terminal; 0: not a terminal
 */
export function overview(commands: readonly CommandSpec[], columns = 0): string {
  const width = widthFor(columns);
  const longest = Math.max(...commands.map((command) => command.name.length));
  const text = [
    'gateline: a chain of agent gates, each output checked before the next one starts,',
    'and a failed run continues from where it stopped.',
    '',
    'Commands:',
    ...commands.flatMap((command) => row(command.name, command.summary, longest, width)),
    '',
    'Getting started:',
    '  gateline init           writes a pipeline of four gates that runs as it is',
    '  gateline run            runs it; after a failure, run it again to continue',
    '  gateline status         shows the progress; gateline show GATE shows why',
    '',
    'gateline help COMMAND describes one command. Everything is kept below .state/.',
    '',
  ];
  return wrapLines(text.join('\n'), width);
}

/** `gateline help COMMAND`. `columns` as for {@link overview}. */
export function commandHelp(command: CommandSpec, columns = 0): string {
  const width = widthFor(columns);
  const usage = [
    'gateline',
    command.name,
    ...command.positionals.map((one) => (one.required ? one.name : `[${one.name}]`)),
    '[options]',
  ];
  const rows = [
    ...command.positionals.map((one): [string, string] => [one.name, one.help]),
    ...command.options.map((option): [string, string] => [spell(option), option.help]),
  ];
  const longest = Math.max(0, ...rows.map(([left]) => left.length));
  return [
    usage.join(' '),
    '',
    ...command.description.split('\n').flatMap((paragraph) => wrapWords(paragraph, width)),
    ...(rows.length > 0 ? ['', 'Options:', ...rows.flatMap(([left, right]) => row(left, right, longest, width))] : []),
    ...(command.examples.length > 0
      ? [
          '',
          'Examples:',
          ...command.examples.flatMap(({ command: typed, what }) => [
            `  ${typed}`,
            ...wrapWords(what, width, { first: '      ', further: '      ' }),
          ]),
        ]
      : []),
    '',
    ...wrapWords(`Exit codes: ${exitCodes()}.`, width),
    '',
  ].join('\n');
}

function exitCodes(): string {
  return Object.entries(EXIT_CODES)
    .map(([name, code]) => `${code} ${EXIT_MEANINGS[name as keyof typeof EXIT_CODES].short}`)
    .join(', ');
}

function spell(option: OptionSpec): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  return `${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
}

function row(left: string, right: string, longest: number, width: number): string[] {
  const room = width - longest - 4;
  if (room < ROOM_FOR_HELP)
    return [`  ${left.trim()}`, ...wrapWords(right, width, { first: '      ', further: '      ' })];
  const [first = '', ...more] = wrapWords(right, room);
  return [`  ${left.padEnd(longest)}  ${first}`, ...more.map((line) => `  ${' '.repeat(longest)}  ${line}`)];
}

function widthFor(columns: number): number {
  return columns > 0 ? Math.min(columns, WIDEST) : WIDEST;
}
