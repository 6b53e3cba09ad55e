import type { CodeMeaning } from '../code-meaning.ts';

/** Starting agents. */
export const AGENTS_CODES = {
  SHELL_INVALID: {
    from: ['user'],
    means: '`shell` is neither a known shell nor a template with `{0}`.',
    remedy:
      'Use bash, sh, python, node, pwsh, powershell or cmd, or a template such as `perl {0}`; {0} stands for the script.',
  },
  SHELL_MISSING: {
    from: ['user'],
    means: 'The shell was not found on the PATH.',
    remedy: 'Install it, or name another one under `shell`.',
  },
  SHELL_FORBIDDEN: {
    from: ['user'],
    means: 'The shell cannot be started.',
    remedy: 'Check that it is executable and that the directory is accessible.',
  },
  SCRIPT_PATH_INVALID: {
    from: ['user'],
    means: 'The path of the workspace contains characters that `cmd` does not accept.',
    remedy: 'Move the workspace to a folder without these characters, or set `shell: pwsh`.',
  },
  DIRECTORY_MISSING: {
    from: ['user'],
    means: 'The working directory of a gate does not exist.',
    remedy: 'Create it, or change `working-directory:`.',
  },
  ENVIRONMENT_TOO_LARGE: {
    from: ['user'],
    means: "The agent's environment variables are too large for the system.",
    remedy: 'Pass large values in a file.',
  },
  TOOL_MISSING: {
    from: ['user'],
    means: 'A command under `tools` does not print a version.',
    remedy: 'Install the tool, or correct or remove it under `tools`.',
  },
  LEFTOVER_ALIVE: {
    from: ['platform'],
    means: 'Processes of an agent whose engine was killed cannot be stopped.',
    remedy: 'Stop them by hand (they may belong to another user), then run again.',
  },
  PROCESS_RECORD_FAILED: {
    from: ['platform'],
    means: 'The process id of an agent could not be recorded.',
    remedy: 'Check free space and permissions below `.state/`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
