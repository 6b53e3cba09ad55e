/** What a step told in its log: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly message: string;
  /** `title`, `file`, `line`, `endLine`, `col`, `endColumn`, where they were given. */
  readonly properties: Readonly<Record<string, string>>;
}

const REGISTERED = new Set([
  'add-mask',
  'add-matcher',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'add-path',
  'stop-commands',
  'warning',
]);
const ANNOTATIONS = new Set(['error', 'warning', 'notice']);
/** Commands that the runner refuses, or that nothing may use any more. */
const REFUSED = new Set(['set-env', 'add-path', 'set-output', 'save-state']);

/** Reads the lines of one step as the runner's `ActionCommandManager` does. */
export class LogReader {
  readonly annotations: Annotation[] = [];
  /** Lines as the log shows them, masked. */
  readonly lines: string[] = [];
  readonly #masks: Set<string>;
  #stopToken: string | undefined;

  /** `masks` is the job's own set: a step may add to it. */
  constructor(masks: Set<string>) {
    this.#masks = masks;
  }

  /** One line without its end. Returns what the log shows of it: nothing of `::debug::`, which is for debug logs only. */
  read(line: string): string | undefined {
    const command = parseCommand(line, this.#stopToken);
    const isHidden = command?.name === 'debug' && this.#stopToken === undefined;
    if (command !== undefined) this.#carryOut(command);
    if (isHidden) return undefined;
    const shown = masked(line, this.#masks);
    this.lines.push(shown);
    return shown;
  }

  #carryOut({ name, properties, data }: Command): void {
    if (this.#stopToken !== undefined) {
      if (name === this.#stopToken.toLowerCase()) this.#stopToken = undefined;
    } else if (name === 'stop-commands') {
      if (data === '' || REGISTERED.has(data) || data === 'pause-logging') {
        this.annotations.push({ level: 'error', message: `'${data}' cannot stop commands`, properties: {} });
      } else this.#stopToken = data;
    } else if (name === 'add-mask') {
      for (const part of [data, ...data.split(/[\r\n]+/)]) if (part.trim() !== '') this.#masks.add(part);
    } else if (REFUSED.has(name)) {
      this.annotations.push({ level: 'error', message: `the command '${name}' is disabled`, properties: {} });
    } else if (ANNOTATIONS.has(name)) {
      this.annotations.push({ level: name as Annotation['level'], message: masked(data, this.#masks), properties });
    }
  }
}

interface Command {
  /** In lower case. */
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

/** `::name key=value,…::data`, and the older `##[name key=value;…]data` anywhere in a line. */
function parseCommand(line: string, stopToken: string | undefined): Command | undefined {
  const [, info, data] = /^\s*::(.*?)::(.*)$/.exec(line) ?? [];
  if (info !== undefined) {
    const command = commandOf(info, ',', unescapeProperty, stopToken);
    if (command !== undefined) return { ...command, data: unescapeData(data!) };
  }
  const [, oldInfo, oldData] = /##\[([^\]]*)\](.*)$/.exec(line) ?? [];
  if (oldInfo === undefined) return undefined;
  const command = commandOf(oldInfo, ';', unescapeOld, stopToken);
  return command && { ...command, data: unescapeOld(oldData!) };
}

function commandOf(
  info: string,
  separator: string,
  unescape: (text: string) => string,
  stopToken: string | undefined,
): Omit<Command, 'data'> | undefined {
  const space = info.indexOf(' ');
  const name = (space < 0 ? info : info.slice(0, space)).toLowerCase();
  if (!REGISTERED.has(name) && name !== stopToken?.toLowerCase()) return undefined;
  const pairs = space < 0 ? [] : info.slice(space + 1).split(separator);
  const properties = pairs.flatMap((pair) => {
    const equals = pair.indexOf('=');
    const value = pair.slice(equals + 1);
    return equals > 0 && value !== '' ? [[pair.slice(0, equals).trim(), unescape(value)] as const] : [];
  });
  return { name, properties: Object.fromEntries(properties) };
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  const data = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  return data.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%25', '%');
}

function unescapeOld(text: string): string {
  const data = text.replaceAll('%3B', ';').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
  return data.replaceAll('%5D', ']').replaceAll('%25', '%');
}

/** A text with every secret in it replaced, longest first. */
export function masked(text: string, masks: ReadonlySet<string>): string {
  const longestFirst = [...masks].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((result, mask) => result.replaceAll(mask, '***'), text);
}
