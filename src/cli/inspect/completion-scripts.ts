import type { CommandSpec, OptionSpec } from '../command.ts';

/** Shells that have a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The command that lists the gates, for values that are gates. */
const GATES = 'gateline graph --names 2>/dev/null';

const OF_GATES = new Set(['GATE']);
const OF_FILES = new Set(['FILE', 'PATH', 'DIR']);

/**
 * The script that a shell loads to complete commands, options, gates and files. It asks `gateline graph` for the gates
 * when they are needed; all else is in the script.
 */
export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly CommandSpec[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const values = commands.flatMap(({ name, options }) =>
    options.filter(({ value }) => value !== undefined).map((option) => ({ option, name })),
  );
  const after = (filter: (value: string) => boolean): string =>
    values
      .filter(({ option }) => filter(option.value!))
      .flatMap(({ name, option }) => spellings(option).map((word) => `"${name} ${word}"`))
      .join(' | ');
  const isOther = (value: string): boolean => !OF_GATES.has(value) && !OF_FILES.has(value);
  return `# Completion of gateline for bash: eval "$(gateline completion bash)" in ~/.bashrc
_gateline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names}" -- "$current"))
    return
  fi
  case "$command $before" in
    ${after((value) => OF_GATES.has(value))})
      COMPREPLY=($(compgen -W "$(${GATES})" -- "$current")); return ;;
    ${after((value) => OF_FILES.has(value))})
      COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${after(isOther)})
      return ;;
  esac
  case "$command" in
${commands.map((command) => `    ${command.name}) words="${wordsOf(command)}" ;;`).join('\n')}
    help) words="${names}" ;;
  esac
  case "$command" in
    ${namesOf(commands, takesGate)})
      case "$current" in -*) ;; *) words="$words $(${GATES})" ;; esac ;;
    ${namesOf(commands, takesFile)})
      case "$current" in -*) ;; *) COMPREPLY=($(compgen -f -- "$current")) ;; esac ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -F _gateline gateline
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const plain = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');
  const action = (value: string): string =>
    OF_GATES.has(value) ? '_gateline_gates' : OF_FILES.has(value) ? '_files' : ' ';
  const optionOf = (option: OptionSpec): string[] =>
    spellings(option).map((word) => {
      const value = option.value === undefined ? '' : `:${option.value}:${action(option.value)}`;
      return quoted(`${option.multiple === true ? '*' : ''}${word}[${plain(option.help)}]${value}`);
    });
  const positionalsOf = ({ positionals }: CommandSpec): string[] =>
    positionals.map(({ name, words }, at) =>
      quoted(`${at + 1}:${name}:${words === undefined ? action(name) : `(${words.join(' ')})`}`),
    );
  const branches = commands.map(
    (command) =>
      `    ${command.name}) _arguments -s ${[...command.options.flatMap(optionOf), ...positionalsOf(command)].join(' ')} ;;`,
  );
  return `#compdef gateline
# Completion of gateline for zsh: save as _gateline in a folder of $fpath, or eval "$(gateline completion zsh)" after compinit
_gateline_gates() {
  local -a gates
  gates=(\${(f)"$(${GATES})"})
  compadd -a gates
}
_gateline() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(${commands.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(' ')})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${branches.join('\n')}
  esac
}
if [ "$funcstack[1]" = _gateline ]; then _gateline "$@"; else compdef _gateline gateline; fi
`;
}

function fish(commands: readonly CommandSpec[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap((command) => {
    const when = `-n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`;
    const options = command.options.map((option) => {
      const value =
        option.value === undefined ? '' : OF_FILES.has(option.value) ? ' -r -F' : ` -x${choicesOf(option.value)}`;
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      return `complete -c gateline ${when} -l ${option.name}${short}${value} -d ${quoted(option.help)}`;
    });
    const words = command.positionals.flatMap((one) => one.words ?? []).join(' ');
    const listed = words === '' ? [] : [`complete -c gateline ${when} -a ${quoted(words)}`];
    const files = takesFile(command) ? [`complete -c gateline ${when} -F`] : [];
    const gates = takesGate(command) ? [`complete -c gateline ${when} -a '(${GATES})'`] : [];
    const about = `complete -c gateline -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`;
    return [about, ...options, ...listed, ...files, ...gates];
  });
  return `# Completion of gateline for fish: gateline completion fish > ~/.config/fish/completions/gateline.fish
complete -c gateline -f
${lines.join('\n')}
`;
}

function choicesOf(value: string): string {
  return OF_GATES.has(value) ? ` -a '(${GATES})'` : '';
}

function takesGate({ positionals }: CommandSpec): boolean {
  return positionals.some(({ name }) => OF_GATES.has(name));
}

function takesFile({ positionals }: CommandSpec): boolean {
  return positionals.some(({ name }) => OF_FILES.has(name));
}

/** The commands of a kind, as a pattern of `case`. */
function namesOf(commands: readonly CommandSpec[], isOfKind: (command: CommandSpec) => boolean): string {
  return commands
    .filter(isOfKind)
    .map(({ name }) => name)
    .join(' | ');
}

function spellings({ name, short }: OptionSpec): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}

function wordsOf(command: CommandSpec): string {
  const listed = command.positionals.flatMap(({ words = [] }) => words);
  return [...command.options.map(({ name }) => `--${name}`), ...listed].join(' ');
}
