import { CLI_VARIABLES, type Environment } from '../environment.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import { gitIn } from '../workspace/git/git.ts';

/** The longest name that a record holds. */
const LONGEST = 255;

/** Accounts that do not identify one person: the system's own, and those under which CI services run jobs. */
const NOBODYS = new Set([
  'root',
  'system',
  'administrator',
  'nobody',
  'ci',
  'runner',
  'runneradmin',
  'jenkins',
  'gitlab-runner',
  'buildkite-agent',
  'circleci',
  'teamcity',
  'travis',
  'vsts',
  'vsts_azpcontainer',
  'bamboo',
  'drone',
]);

/**
 * Who decides: the given name, otherwise `user.email` of git's settings, otherwise the name of the account, unless it
 * is root's or a CI service's. A statement, not a proof.
 *
 * @param root absolute path of the workspace, whose git settings are used
 * @throws GatelineError `ACTOR_UNKNOWN`
 */
export async function whoDecides(root: string, environment: Environment, given?: string): Promise<string> {
  const known = named(given) ?? named(await emailOf(root, environment)) ?? named(accountOf(environment));
  if (known !== undefined) return known;
  throw new GatelineError('ACTOR_UNKNOWN', 'the author of the decision is unknown');
}

function named(name: string | undefined): string | undefined {
  const trimmed = name?.trim() ?? '';
  return trimmed === '' || trimmed.length > LONGEST ? undefined : trimmed;
}

/** Also `undefined` if git is missing or refuses the folder: then it says nothing about who decides. */
async function emailOf(root: string, environment: Environment): Promise<string | undefined> {
  try {
    const answer = await gitIn(root, { binary: 'git', environment })(['config', '--get', 'user.email'], {
      answers: [0, 1],
    });
    return answer.out.toString('utf8');
  } catch (error) {
    if (error instanceof GatelineError) return undefined;
    throw error;
  }
}

function accountOf(environment: Environment): string | undefined {
  if (!['', 'false', undefined].includes(environment[CLI_VARIABLES.ci])) return undefined;
  const names = [environment[CLI_VARIABLES.user], environment[CLI_VARIABLES.windowsUser]];
  return names.find((name) => named(name) !== undefined && !NOBODYS.has(name!.trim().toLowerCase()));
}
