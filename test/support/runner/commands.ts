/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */

/** `name=value` lines and heredocs of a file command. @throws Error where the runner fails the step */
export function parseFileCommand(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = '', sign, rest = ''] = /^(.*?)(=|<<)(.*)$/.exec(line) ?? [];
    if (line === '') continue;
    if (name === '') throw new Error(`Invalid format '${line}'`);
    if (sign === '=') values[name] = rest;
    else {
      const end = lines.indexOf(rest);
      if (end === -1) throw new Error(`Invalid value. Matching delimiter not found '${rest}'`);
      values[name] = lines
        .splice(0, end + 1)
        .slice(0, end)
        .join('\n');
    }
  }
  return values;
}

export interface Annotation {
  readonly level: string;
  readonly message: string;
  /** `title`, `file`, `line`, `endLine`, `col`, `endColumn`. */
  readonly properties: Readonly<Record<string, string>>;
}

const LEVELS = ['error', 'warning', 'notice'];
const DISABLED = ['set-env', 'add-path', 'set-output', 'save-state'];
const OTHERS = ['add-mask', 'add-matcher', 'debug', 'echo', 'endgroup', 'group', 'remove-matcher', 'stop-commands'];
const COMMANDS = new Set([...LEVELS, ...DISABLED, ...OTHERS]);

/** The log of one step: masks, annotations and `stop-commands`, as `ActionCommandManager` of actions/runner. */
export class StepLog {
  readonly annotations: Annotation[] = [];
  /** As the log shows them. */
  readonly lines: string[] = [];
  readonly #masks: Set<string>;
  readonly #onLine: (line: string) => void;
  #stopToken: string | undefined;

  /** @param masks of the job: steps add to them */
  constructor(masks: Set<string>, onLine: (line: string) => void) {
    this.#masks = masks;
    this.#onLine = onLine;
  }

  read(line: string): void {
    const command = parseCommand(line, this.#stopToken);
    const isHidden = command?.level === 'debug' && this.#stopToken === undefined;
    if (command !== undefined) this.#execute(command);
    if (isHidden) return;
    this.lines.push(masked(line, this.#masks));
    this.#onLine(this.lines.at(-1)!);
  }

  /** An error of the runner itself. */
  fail(message: string): void {
    this.read(`::error::${message.replaceAll('%', '%25').replaceAll('\n', '%0A')}`);
  }

  #execute({ level: name, properties, message }: Annotation): void {
    if (this.#stopToken !== undefined) {
      if (name === this.#stopToken.toLowerCase()) this.#stopToken = undefined;
    } else if (name === 'stop-commands' && message !== '' && !COMMANDS.has(message)) this.#stopToken = message;
    else if (name === 'add-mask') {
      for (const part of [message, ...message.split(/[\r\n]+/)]) if (part.trim() !== '') this.#masks.add(part);
    } else if (DISABLED.includes(name) || name === 'stop-commands')
      this.annotations.push({ level: 'error', message: `The command '${name}' is disabled`, properties: {} });
    else if (LEVELS.includes(name))
      this.annotations.push({ level: name, message: masked(message, this.#masks), properties });
  }
}

const ESCAPES: readonly (readonly [string, string])[] = [
  ['%0D', '\r'],
  ['%0A', '\n'],
];
const PROPERTY = [...ESCAPES, ['%3A', ':'], ['%2C', ','], ['%25', '%']] as const;
const OLD = [...ESCAPES, ['%3B', ';'], ['%5D', ']'], ['%25', '%']] as const;

/** `::name key=value,…::message`, and the older `##[name key=value;…]message` anywhere in a line. */
function parseCommand(line: string, stopToken: string | undefined): Annotation | undefined {
  const forms = [
    {
      match: /^\s*::(.*?)::(.*)$/.exec(line),
      separator: ',',
      escapes: PROPERTY,
      ofMessage: [...ESCAPES, ['%25', '%']],
    },
    { match: /##\[([^\]]*)\](.*)$/.exec(line), separator: ';', escapes: OLD, ofMessage: OLD },
  ] as const;
  for (const { match, separator, escapes, ofMessage } of forms) {
    const [, word = '', rest = ''] = /^(\S+) ?(.*)$/.exec(match?.[1] ?? '') ?? [];
    const level = word.toLowerCase();
    if (!COMMANDS.has(level) && (level === '' || level !== stopToken?.toLowerCase())) continue;
    const pairs = rest.split(separator).flatMap((pair) => {
      const [, key, value = ''] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
      return key === undefined ? [] : [[key.trim(), unescape(value, escapes)]];
    });
    return { level, message: unescape(match?.[2] ?? '', ofMessage), properties: Object.fromEntries(pairs) };
  }
  return undefined;
}

function unescape(text: string, escapes: readonly (readonly [string, string])[]): string {
  return escapes.reduce((result, [code, character]) => result.replaceAll(code, character), text);
}

/** A text without its secrets, longest first. */
export function masked(text: string, masks: ReadonlySet<string>): string {
  return [...masks]
    .toSorted((a, b) => b.length - a.length)
    .reduce((result, mask) => result.replaceAll(mask, '***'), text);
}
