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

/** What a command is given in the place of this step's own files. What is written there reaches nobody. */
const OWN_FILES = [GITHUB_VARIABLES.output, GITHUB_VARIABLES.state, GITHUB_VARIABLES.summary] as const;

/** What is shorter is a placeholder such as `dummy`, and to mask that would blank out ordinary text. */
const SHORTEST_TOKEN = 16;

/** The environment of the command that a gate runs. */
export interface CommandEnvironment {
  readonly environment: Environment;
  /** Absolute; holds the files used in place of this step's. The runner removes it with the job. */
  readonly folder: string;
}

/**
 * What a `run:` step of this job would have: the step's environment without inputs, states and what opens GitHub's
 * services, which only actions are given ({@link WITHHELD_FROM_AGENTS}, as everywhere). `GITHUB_OUTPUT`, `GITHUB_STATE`
 * and `GITHUB_STEP_SUMMARY` name files of the command's own: those of this step decide what later steps believe.
 * `GITHUB_ENV` and `GITHUB_PATH` stay, since a `run:` step may set up the steps after it.
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
 * Tokens of the job itself, by name, as a redactor takes them: an agent may find one in its environment, in `.git/config`
 * or in the process of the action. git sends a token as `x-access-token:<token>` in base64, so that is a value of its own:
 * of a long one in lines, the lines break elsewhere.
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
