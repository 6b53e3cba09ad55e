import { exec } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DATABASE_VARIABLE, type Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import type { Database } from '../../engine/ports.ts';
import type { DatabaseCommands } from '../../pipeline/pipeline.ts';
import type { AttemptRef } from '../../run/entry.ts';
import { subjectSlug } from '../../store/files/attempts.ts';

const TIME_LIMIT_MS = 10 * 60_000;

/** Saves and restores a database by commands of the definition. @param folder of the saved files, absolute */
export function createDatabase(
  commands: DatabaseCommands,
  folder: string,
  root: string,
  environment: Environment,
): Database {
  const fileOf = ({ subject, run, unit, n }: AttemptRef) =>
    join(folder, subjectSlug(subject), `${run}.${unit.replace('/', '.')}.${n}`);
  const call = async (what: 'save' | 'restore', file: string): Promise<void> => {
    const env = { ...environment, [DATABASE_VARIABLE]: file };
    try {
      await promisify(exec)(commands[what], { cwd: root, env, timeout: TIME_LIMIT_MS, maxBuffer: 64 * 1024 ** 2 });
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      throw new GatelineError(
        'failed',
        `the database could not be ${what}d: ${(stderr.trim() || messageOf(error)).slice(0, 1_000)}`,
        {
          hint: `Correct \`snapshots.database.${what}\`, and run again. The command gets the file in ${DATABASE_VARIABLE}.`,
          cause: error,
        },
      );
    }
  };
  return {
    save: async (attempt) => {
      const file = fileOf(attempt);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await call('save', file);
      if (!existsSync(file))
        throw new GatelineError('failed', 'the command that saves the database wrote no file', {
          hint: `\`snapshots.database.save\` writes to the file that ${DATABASE_VARIABLE} names`,
        });
    },
    restore: async (attempt) => {
      const file = fileOf(attempt);
      if (!existsSync(file)) return false;
      await call('restore', file);
      return true;
    },
  };
}
