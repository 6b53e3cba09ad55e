/** A named resource with a life, such as a session: it is created, used, and becomes invalid. */
export interface Entity {
  readonly name: string;
  /** How an instance is displayed, with `{placeholder}`s: `resource_{id}`. `undefined`: there is one instance. */
  readonly format: string | undefined;
  /** Properties that a value should have. */
  readonly properties: readonly string[];
  /** Entities without which it is invalid, too. */
  readonly dependsOn: readonly string[];
  /**
   * Milliseconds that it lives, a JSON pointer into its value to the time when it ends, or `machine`: as long as the
   * processes that its gate or command left. `undefined`: no limit.
   */
  readonly lifetime: number | string | undefined;
  /** Milliseconds before the end of its life from which no command starts that requires it. Default 0. */
  readonly margin: number;
}

/** Whether a format can name instances: each `{` has its `}`, with a name between them. */
export function isFormat(text: string): boolean {
  return /^(?:[^{}]|\{[^{}]+\})+$/.test(text);
}

/** What a definition says of named resources, each list in file order. */
export interface Resources {
  readonly entities: readonly Entity[];
  readonly commands: readonly Command[];
}

/** The entities that a gate or a command uses. */
export interface EntityUse {
  /** They must be valid before it starts. */
  readonly requires: readonly string[];
  /** They are valid after it passed. */
  readonly creates: readonly string[];
  /** They are invalid from its start on. */
  readonly invalidates: readonly string[];
  /** What happens if a required entity is not valid: set-up commands run first, or it does not start. */
  readonly onInvalid: 'fail' | 'recover';
  /** Whether processes that it started stay when it has passed. */
  readonly leaves: boolean;
}

/** One word of a command: a text, or the argument that replaces the whole word. */
export type CommandWord = { readonly text: string } | { readonly argument: string };

/** A command that `gateline do` runs in the user's folder, any number of times, without a shell. */
export interface Command extends EntityUse {
  readonly id: string;
  /** The program and its arguments. */
  readonly words: readonly CommandWord[];
  /** Name of what it prints, if it is the value of what it creates. */
  readonly returns: string | undefined;
  /** Whether it may be run to make what it creates valid again. */
  readonly setup: boolean;
  /** Default 60; fractions allowed. */
  readonly timeoutMinutes: number;
}

/** Names of the arguments of a command, in order, each once. */
export function argumentsOf({ words }: Pick<Command, 'words'>): string[] {
  return [...new Set(words.flatMap((word) => ('argument' in word ? [word.argument] : [])))];
}

/** Whether a command may run by itself to make what it creates valid. */
export function isSetUp(command: Pick<Command, 'setup' | 'words'>): boolean {
  return command.setup && argumentsOf(command).length === 0;
}

/** Commands that make entities valid, in order. */
export interface SetUp {
  readonly order: readonly Command[];
  /** Why each of them runs: what is not valid, and the command that needs it; `undefined`: who asked. */
  readonly reasons: readonly { readonly entity: string; readonly by: string | undefined }[];
  /** Entities that no such order reaches. */
  readonly unreachable: readonly string[];
}

/** A line for each command: `snapshot: run: refs is not valid, click needs it`. @param by who asked */
export function setUpLines({ order, reasons }: Pick<SetUp, 'order' | 'reasons'>, by: string): string[] {
  return order.map(
    ({ id }, at) => `${id}: run: ${reasons[at]!.entity} is not valid, ${reasons[at]!.by ?? by} needs it`,
  );
}

/**
 * The order of commands that make entities valid, requirements first, each entity at most once. Only commands without
 * arguments are used, of several the first. An entity that no such order reaches is in `unreachable`.
 * @param wanted entities to make valid
 * @param isValid whether an entity needs no command
 */
export function setUpOrder(
  commands: readonly Command[],
  wanted: readonly string[],
  isValid: (entity: string) => boolean,
): SetUp {
  const makers = commands.filter(isSetUp);
  const chosen = new Map<string, Command>();
  // Entities come one round after what their command requires, so that no command waits for itself.
  for (let found = true; found;) {
    const known = new Set(chosen.keys());
    const isReached = (name: string): boolean => isValid(name) || known.has(name);
    found = false;
    for (const command of makers) {
      for (const name of command.creates) {
        if (isReached(name) || chosen.has(name) || !command.requires.every(isReached)) continue;
        chosen.set(name, command);
        found = true;
      }
    }
  }
  const needed = new Map<string, string | undefined>();
  const need = (entity: string, by?: string): void => {
    if (isValid(entity) || needed.has(entity)) return;
    needed.set(entity, by);
    for (const one of chosen.get(entity)?.requires ?? []) need(one, chosen.get(entity)!.id);
  };
  for (const name of wanted) need(name);
  const order = new Set<Command>();
  const begun = new Set<Command>();
  const reasons: SetUp['reasons'][number][] = [];
  const isStuck = (entity: string): boolean => {
    const names = new Set([entity]);
    // A set also visits what is added to it meanwhile.
    for (const name of names) {
      const command = needed.has(name) ? chosen.get(name) : undefined;
      if (command !== undefined && begun.has(command) && !order.has(command)) return true;
      for (const one of command?.requires ?? []) names.add(one);
    }
    return false;
  };
  const reach = (entity: string): void => {
    const command = chosen.get(entity);
    if (command === undefined || begun.has(command)) return;
    begun.add(command);
    for (const one of command.requires) if (needed.has(one)) reach(one);
    // What would make this one invalid again comes before it, unless it needs this one or what this one is needed for.
    for (const other of needed.keys()) if (isSpoiledBy(command, chosen.get(other)) && !isStuck(other)) reach(other);
    order.add(command);
    reasons.push({ entity, by: needed.get(entity) });
  };
  for (const name of needed.keys()) if (wanted.includes(name)) reach(name);
  return { order: [...order], reasons, unreachable: wanted.filter((name) => !isValid(name) && !chosen.has(name)) };
}

function isSpoiledBy(command: Command, other: Command | undefined): boolean {
  return other !== undefined && other !== command && other.invalidates.some((name) => command.creates.includes(name));
}
