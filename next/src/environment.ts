/** Every environment variable that Gateline itself reads. Agents' variables stand in agent/environment.ts. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process: the default of the library. */
export function currentEnvironment(): Environment {
  return process.env;
}

/** What the variables of the caller say. */
export interface CallerSettings {
  /** Somebody reads a log, not a terminal. */
  readonly isCi: boolean;
  /** https://no-color.org; `FORCE_COLOR` is Node's. Undefined: as the terminal is. */
  readonly colors: boolean | undefined;
  /** `GATELINE_TOKEN`: of the attempt that `begin` began, for `complete`. */
  readonly token: string | undefined;
  readonly terminal: string | undefined;
}

export function readCallerSettings(environment: Environment): CallerSettings {
  const { CI, NO_COLOR, FORCE_COLOR, GATELINE_TOKEN, TERM } = environment;
  return {
    isCi: CI !== undefined && CI !== '' && CI !== 'false',
    colors: NO_COLOR ? false : FORCE_COLOR ? FORCE_COLOR !== '0' : undefined,
    token: GATELINE_TOKEN,
    terminal: TERM,
  };
}

/** Tells the commands of `snapshots.database` which file to write or read. */
export const DATABASE_VARIABLE = 'GATELINE_DATABASE';
