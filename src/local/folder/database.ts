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

/** The file with the database before an attempt. @param folder of the saved files, absolute */
export function databaseFile(folder: string, { subject, run, unit, n }: AttemptRef): string {
  return join(folder, subjectSlug(subject), `${run}.${unit.replace('/', '.')}.${n}`);
}

/** After the name of a file: the database before a rollback restored that file. */
export const BEFORE_ROLLBACK = '.before-rollback';

interface DatabaseFolders {
  /** Of the saved files, absolute. */
  readonly folder: string;
  /** Where gates work. */
  readonly root: string;
  readonly cloneOf: (subject: string) => string;
}

/** Saves and restores a database by commands of the definition, in the folder that the gates change. */
export function createDatabase(
  commands: DatabaseCommands,
  { folder, root, cloneOf }: DatabaseFolders,
  environment: Environment,
): Database {
  const call = async (what: 'save' | 'restore', file: string, cwd = root): Promise<void> => {
    const env = { ...environment, [DATABASE_VARIABLE]: file };
    try {
      await promisify(exec)(commands[what], { cwd, env, timeout: TIME_LIMIT_MS, maxBuffer: 64 * 1024 ** 2 });
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
      const file = databaseFile(folder, attempt);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await call('save', file);
      if (!existsSync(file))
        throw new GatelineError('failed', 'the command that saves the database wrote no file', {
          hint: `\`snapshots.database.save\` writes to the file that ${DATABASE_VARIABLE} names`,
        });
    },
    restore: async (attempt, isIsolated) => {
      const file = databaseFile(folder, attempt);
      if (!existsSync(file)) return false;
      const cwd = isIsolated ? cloneOf(attempt.subject) : root;
      // A clone that was removed has no database any more.
      if (!existsSync(cwd)) return true;
      // What cannot be saved is damaged: then a person wants it restored all the more.
      await call('save', `${file}${BEFORE_ROLLBACK}`, cwd).catch(() => undefined);
      await call('restore', file, cwd);
      return true;
    },
  };
}
