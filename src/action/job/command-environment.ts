import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GITHUB_VARIABLES,
  EMPTY_WITHOUT_ACTION,
  TOKEN_VARIABLES,
  WITHHELD_FROM_AGENTS,
  type Environment,
} from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';

/** Files that a command gets instead of this step's own. Their content is discarded. */
const OWN_FILES = [GITHUB_VARIABLES.output, GITHUB_VARIABLES.state, GITHUB_VARIABLES.summary] as const;

/** A shorter value is a placeholder such as `dummy`; masking it would blank out ordinary text. */
const SHORTEST_TOKEN = 16;

/** The environment of the command that a gate runs. */
export interface CommandEnvironment {
  readonly environment: Environment;
  /** Absolute; contains the files used instead of this step's. The runner removes it with the job. */
  readonly folder: string;
}

/**
 * The environment that a `run:` step of this job would have: the step's environment without inputs, states and the
 * credentials of GitHub's services, which only actions receive ({@link WITHHELD_FROM_AGENTS}, as everywhere).
 * `GITHUB_OUTPUT`, `GITHUB_STATE` and `GITHUB_STEP_SUMMARY` name the command's own files: later steps trust this
 * step's. `GITHUB_ENV` and `GITHUB_PATH` stay, since a `run:` step may set up later steps.
 * @param temp `RUNNER_TEMP`, absolute
 * @throws GatelineError `TEMP_UNWRITABLE`
 */
export async function commandEnvironment(environment: Environment, temp: string): Promise<CommandEnvironment> {
  const kept = Object.entries(environment).filter(([name]) => !WITHHELD_FROM_AGENTS.test(name));
  const emptied = EMPTY_WITHOUT_ACTION.filter((name) => environment[name] !== undefined).map(
    (name) => [name, ''] as const,
  );
  try {
    const folder = await mkdtemp(join(temp, 'gateline-command-'));
    const files = OWN_FILES.map((variable) => [variable, join(folder, variable.toLowerCase())] as const);
    for (const [, path] of files) await writeFile(path, '', { mode: 0o600 });
    return { environment: Object.fromEntries([...kept, ...emptied, ...files]), folder };
  } catch (cause) {
    throw new GatelineError('TEMP_UNWRITABLE', `${temp} cannot be written to: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/**
 * Tokens of the job itself, by name, for a redactor: an agent may find one in its environment, in `.git/config` or in
 * the action's process. git sends a token as `x-access-token:<token>` in base64, so that is a separate value; if it is
 * long and split into lines, they break at different places.
 */
export function jobTokens(environment: Environment, githubToken: string | undefined): Record<string, string> {
  const given = [
    ...TOKEN_VARIABLES.map((name) => [name, environment[name]] as const),
    ['github-token', githubToken] as const,
  ];
  const tokens: Record<string, string> = {};
  for (const [name, value = ''] of given) {
    const token = value.trim();
    if (token.length >= SHORTEST_TOKEN)
      Object.assign(tokens, { [name]: token, [`${name} of git`]: `x-access-token:${token}` });
  }
  return tokens;
}
