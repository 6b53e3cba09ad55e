import { join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';

/** How to run a gate's command: a script to write, and the programs to try in turn until one exists. */
export interface ShellInvocation {
  /** Absolute path of the script. */
  readonly script: string;
  readonly content: string;
  /** At least one. */
  readonly programs: readonly Program[];
  /** What to do if none of the programs exists. */
  readonly hint: string;
}

/** A program and its arguments, the script's path among them. No part goes through another shell. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are passed as they are, because `cmd` does not follow the usual quoting. */
  readonly verbatim?: boolean;
}

const STOP_ON_ERROR = "$ErrorActionPreference = 'stop'";
const EXIT_WITH_LAST = 'if ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }';

/**
 * The command that a GitHub `run:` step would start for this `shell:`, per
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell — with three
 * differences: `python` falls back to `python3`, PowerShell gets the script through `-File` instead of a composed
 * command, and `node` is a shell too.
 *
 * @throws GatelineError `SHELL_INVALID` for a template without `{0}`, `SCRIPT_PATH_INVALID` if the path cannot be
 *   passed to `cmd`
 */
export function invocationOf(
  shell: string,
  command: string,
  directory: string,
  platform: NodeJS.Platform,
): ShellInvocation {
  const at = (extension: string): string => join(directory, `command.${extension}`);
  switch (shell) {
    case 'bash':
      return posix(
        bashes(platform),
        ['--noprofile', '--norc', '-e', '-o', 'pipefail'],
        at('sh'),
        command,
        'Install bash, or set `shell: sh`.',
      );
    case 'sh':
      return posix(['sh'], ['-e'], at('sh'), command, 'Install a POSIX shell, or name another `shell:`.');
    case 'python':
      return posix(
        ['python', 'python3'],
        [],
        at('py'),
        command,
        'Install Python 3, or set PATH so that `python` or `python3` is found.',
      );
    case 'node':
      return posix(['node'], [], at('mjs'), command, 'Install Node.js, or set PATH so that `node` is found.');
    case 'pwsh':
    case 'powershell':
      return powershell(shell, at('ps1'), command, platform);
    case 'cmd':
      return cmd(at('cmd'), command);
    default:
      return fromTemplate(shell, at('script'), command);
  }
}

function posix(files: string[], options: string[], script: string, content: string, hint: string): ShellInvocation {
  return { script, content, hint, programs: files.map((file) => ({ file, args: [...options, script] })) };
}

/** On Windows `bash` alone would be WSL's, which sees other files; GitHub uses Git's. */
function bashes(platform: NodeJS.Platform): string[] {
  return platform === 'win32' ? ['C:\\Program Files\\Git\\bin\\bash.exe', 'bash'] : ['bash'];
}

function powershell(shell: string, script: string, command: string, platform: NodeJS.Platform): ShellInvocation {
  const policy = platform === 'win32' ? ['-ExecutionPolicy', 'Bypass'] : [];
  const text = `${STOP_ON_ERROR}\n${command}\n${EXIT_WITH_LAST}\n`;
  return {
    script,
    // Windows PowerShell 5 reads a script without a byte order mark as ANSI.
    content: shell === 'powershell' ? `\ufeff${text}` : text,
    programs: [{ file: shell, args: ['-NoLogo', '-NonInteractive', ...policy, '-File', script] }],
    hint:
      shell === 'pwsh'
        ? 'Install PowerShell 7 (`pwsh`), or name another `shell:`.'
        : '`powershell` is there on Windows only: set `shell: pwsh`.',
  };
}

function cmd(script: string, command: string): ShellInvocation {
  if (/["%\r\n]/.test(script)) {
    throw new GatelineError(
      'SCRIPT_PATH_INVALID',
      `cmd cannot run a script at ${script}: a quote or a per cent sign is in the path`,
    );
  }
  return {
    script,
    content: `@echo off\r\n${command.replaceAll(/\r?\n/g, '\r\n')}\r\n`,
    programs: [{ file: 'cmd.exe', args: ['/D', '/E:ON', '/V:OFF', '/S', '/C', `"CALL "${script}""`], verbatim: true }],
    hint: '`cmd` is there on Windows only: name another `shell:`.',
  };
}

function fromTemplate(template: string, script: string, command: string): ShellInvocation {
  const words = wordsOf(template).map((word) => word.replaceAll('{0}', script));
  const [file, ...args] = words;
  if (file === undefined || !template.includes('{0}')) {
    throw new GatelineError('SHELL_INVALID', `shell: ${JSON.stringify(template)} is not a known shell and has no {0}`);
  }
  return {
    script,
    content: command,
    programs: [{ file, args }],
    hint: `Install \`${file}\`, or name another \`shell:\`.`,
  };
}

/** Splits at white space; double quotes group words. */
function wordsOf(template: string): string[] {
  return [...template.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''));
}
