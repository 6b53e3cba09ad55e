import type { CommandSpec, OptionSpec } from './command.ts';
import { EXIT_CODES, EXIT_MEANINGS } from './exit-codes.ts';

const WIDTH = 100;

/** `gateline help`: what it is for, the commands, and how one begins. */
export function overview(commands: readonly CommandSpec[]): string {
  const longest = Math.max(...commands.map((command) => command.name.length));
  return [
    'gateline: a chain of agent gates, each output checked before the next one starts,',
    'and a failed run goes on from where it stopped.',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.name.padEnd(longest)}  ${command.summary}`),
    '',
    'How to begin:',
    '  gateline init           writes a pipeline of four gates that runs as it is',
    '  gateline run            runs it; run it again after a failure, and it goes on from there',
    '  gateline status         tells how far it is; gateline show GATE tells why',
    '',
    'gateline help COMMAND tells all about one of them. Everything is kept below .state/.',
    '',
  ].join('\n');
}

/** `gateline help COMMAND`. */
export function commandHelp(command: CommandSpec): string {
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
    ...wrap(command.description, ''),
    ...(rows.length > 0 ? ['', 'Options:', ...rows.flatMap(([left, right]) => row(left, right, longest))] : []),
    ...(command.examples.length > 0
      ? ['', 'Examples:', ...command.examples.flatMap((example) => [`  ${example.command}`, `      ${example.what}`])]
      : []),
    '',
    ...wrap(`Exit codes: ${exitCodes()}.`, ''),
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

function row(left: string, right: string, longest: number): string[] {
  const [first = '', ...more] = wrap(right, '', WIDTH - longest - 4);
  return [`  ${left.padEnd(longest)}  ${first}`, ...more.map((line) => `  ${' '.repeat(longest)}  ${line}`)];
}

function wrap(text: string, indent: string, width = WIDTH): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = indent;
    for (const word of paragraph.split(' ')) {
      if (line.length + word.length + 1 > width && line.trim() !== '') {
        lines.push(line);
        line = indent;
      }
      line += line === indent ? word : ` ${word}`;
    }
    return [...lines, line];
  });
}
