/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */

const HEREDOC = /^([^=<]+)<<(.+)$/;

/** `name=value` lines and heredocs of a file command. @throws Error where the runner fails the step */
export function parseFileCommand(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    const equals = line.indexOf('=');
    const [, name = '', delimiter = ''] = HEREDOC.exec(line) ?? [];
    if (name !== '' && (equals === -1 || line.indexOf('<<') < equals)) {
      const end = lines.indexOf(delimiter, index + 1);
      if (end === -1) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
      values[name] = lines.slice(index + 1, end).join('\n');
      index = end;
    } else if (equals > 0) values[line.slice(0, equals)] = line.slice(equals + 1);
    else if (line !== '') throw new Error(`Invalid format '${line}'`);
  }
  return values;
}

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  /** `title`, `file`, `line`, `endLine`, `col`, `endColumn`. */
  readonly properties: Readonly<Record<string, string>>;
}

const LEVELS = new Set(['error', 'warning', 'notice']);
/** Commands that the runner has disabled. */
const DISABLED = new Set(['set-env', 'add-path', 'set-output', 'save-state']);
const OTHERS = ['add-mask', 'add-matcher', 'debug', 'echo', 'endgroup', 'group', 'remove-matcher', 'stop-commands'];
const COMMANDS = new Set([...LEVELS, ...DISABLED, ...OTHERS]);

interface Command {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

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
    const isHidden = command?.name === 'debug' && this.#stopToken === undefined;
    if (command !== undefined) this.#execute(command);
    if (isHidden) return;
    const shown = masked(line, this.#masks);
    this.lines.push(shown);
    this.#onLine(shown);
  }

  /** An error of the runner itself. */
  fail(message: string): void {
    this.read(`::error::${message.replaceAll('%', '%25').replaceAll('\n', '%0A')}`);
  }

  #execute({ name, properties, message }: Command): void {
    if (this.#stopToken !== undefined) {
      if (name === this.#stopToken.toLowerCase()) this.#stopToken = undefined;
    } else if (name === 'stop-commands' && message !== '' && !COMMANDS.has(message)) this.#stopToken = message;
    else if (name === 'add-mask') {
      for (const part of [message, ...message.split(/[\r\n]+/)]) if (part.trim() !== '') this.#masks.add(part);
    } else if (DISABLED.has(name) || name === 'stop-commands') {
      this.annotations.push({ level: 'error', message: `the command '${name}' is disabled`, properties: {} });
    } else if (LEVELS.has(name)) {
      this.annotations.push({ level: name as Annotation['level'], message: masked(message, this.#masks), properties });
    }
  }
}

/** `::name key=value,…::message`, and the older `##[name key=value;…]message` anywhere in a line. */
function parseCommand(line: string, stopToken: string | undefined): Command | undefined {
  const [, head, message = ''] = /^\s*::(.*?)::(.*)$/.exec(line) ?? [];
  const [, oldHead, oldMessage = ''] = /##\[([^\]]*)\](.*)$/.exec(line) ?? [];
  return (
    commandOf(head, message, ',', { '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',' }, stopToken) ??
    commandOf(oldHead, oldMessage, ';', { '%3B': ';', '%0D': '\r', '%0A': '\n', '%5D': ']' }, stopToken)
  );
}

function commandOf(
  head: string | undefined,
  message: string,
  separator: string,
  escapes: Readonly<Record<string, string>>,
  stopToken: string | undefined,
): Command | undefined {
  const [, word = '', rest = ''] = /^(\S*) ?(.*)$/.exec(head ?? '') ?? [];
  const name = word.toLowerCase();
  if (head === undefined || (!COMMANDS.has(name) && name !== stopToken?.toLowerCase())) return undefined;
  const unescape = (text: string, names = Object.keys(escapes)): string =>
    names.reduce((result, key) => result.replaceAll(key, escapes[key]!), text).replaceAll('%25', '%');
  const pairs = rest.split(separator).flatMap((pair) => {
    const [, key, value] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    return key === undefined ? [] : [[key.trim(), unescape(value!)] as const];
  });
  const properties = Object.fromEntries(pairs);
  return { name, properties, message: separator === ',' ? unescape(message, ['%0D', '%0A']) : unescape(message) };
}

/** A text without its secrets, longest first. */
export function masked(text: string, masks: ReadonlySet<string>): string {
  const longestFirst = [...masks].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((result, mask) => result.replaceAll(mask, '***'), text);
}
