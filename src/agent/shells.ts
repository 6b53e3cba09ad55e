import { join } from 'node:path';
import { GatelineError } from '../errors.ts';

/** How to run a command: the script to write, and the program that runs it. */
export interface Invocation {
  /** Absolute path of the script. */
  readonly script: string;
  readonly content: string;
  /** The first that exists is used. */
  readonly programs: readonly string[];
  readonly args: readonly string[];
  /** Windows: the arguments are passed as they are. */
  readonly verbatim?: boolean;
  /** What to do if none of the programs exists. */
  readonly hint: string;
}

/** Shells that get the script as their last argument: programs, options, extension, and the hint if none is there. */
const SHELLS: Readonly<Record<string, readonly [string[], string[], string, string]>> = {
  bash: [['bash'], ['--noprofile', '--norc', '-e', '-o', 'pipefail'], 'sh', 'Install bash, or set `shell: sh`.'],
  sh: [['sh'], ['-e'], 'sh', 'Install a POSIX shell, or name another `shell:`.'],
  python: [['python', 'python3'], [], 'py', 'Install Python 3, or add it to PATH.'],
  node: [['node'], [], 'mjs', 'Install Node.js, or add it to PATH.'],
};

/**
 * The program that GitHub starts for a `run:` step with this `shell:`
 * (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell), but `python`
 * falls back to `python3`, PowerShell gets the script by `-File`, and `node` is a shell too.
 * @throws GatelineError `usage` for a template without `{0}`
 */
export function invocationOf(
  shell: string,
  command: string,
  directory: string,
  platform: NodeJS.Platform = process.platform,
): Invocation {
  const isWindows = platform === 'win32';
  const scriptOf = (extension: string) => join(directory, `command.${extension}`);
  const known = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (known) {
    const [names, options, extension, hint] = known;
    const script = scriptOf(extension);
    // On Windows, `bash` in PATH is that of WSL, which has another file system. GitHub uses the bash of Git.
    const programs = isWindows && shell === 'bash' ? ['C:\\Program Files\\Git\\bin\\bash.exe', ...names] : names;
    return { script, content: command, programs, args: [...options, script], hint };
  }
  if (shell === 'pwsh' || shell === 'powershell') {
    const script = scriptOf('ps1');
    const exit = 'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }';
    // Windows PowerShell 5 reads a script without a byte order mark as ANSI.
    const mark = shell === 'powershell' ? '\ufeff' : '';
    const content = `${mark}$ErrorActionPreference = 'stop'\n${command}\n${exit}\n`;
    const policy = isWindows ? ['-ExecutionPolicy', 'Bypass'] : [];
    const args = ['-NoLogo', '-NonInteractive', ...policy, '-File', script];
    return { script, content, programs: [shell], args, hint: 'Install PowerShell 7 and set `shell: pwsh`.' };
  }
  if (shell === 'cmd') {
    const script = scriptOf('cmd');
    const content = `@echo off\r\n${command.replaceAll(/\r?\n/g, '\r\n')}\r\n`;
    const args = ['/D', '/E:ON', '/V:OFF', '/S', '/C', `"CALL "${script}""`];
    const hint = '`cmd` exists on Windows only: name another `shell:`.';
    return { script, content, programs: ['cmd.exe'], args, verbatim: true, hint };
  }
  return templateInvocation(shell, command, scriptOf('script'));
}

/** A command with `{0}` for the script. Split at white space; double quotes group words. */
function templateInvocation(template: string, content: string, script: string): Invocation {
  const words = [...template.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''));
  const [program, ...args] = words.map((word) => word.replaceAll('{0}', script));
  if (program === undefined || !template.includes('{0}')) {
    throw new GatelineError('usage', `shell: ${JSON.stringify(template)} is no known shell and has no {0}`, {
      hint: 'Name bash, sh, pwsh, python or node, or a command with {0} in the place of the script.',
    });
  }
  return {
    script,
    content,
    programs: [program],
    args,
    hint: `Make ${program} executable, or name another \`shell:\`.`,
  };
}
