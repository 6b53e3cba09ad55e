import { exec } from 'node:child_process';
import type { Environment } from '../../environment.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';

/** A version command that takes longer than this is assumed to hang. */
const TIME_LIMIT_MS = 30_000;
/** No version is longer. */
const LENGTH_LIMIT = 1_000;

/**
 * The output of a tool's version command (stdout, else stderr), trimmed. The command is from the pipeline's definition
 * and runs in the system's shell.
 * @param env default: that of this process
 * @throws GatelineError `TOOL_MISSING` when it cannot be run or fails.
 */
export function toolVersion(command: string, workingDirectory: string, env?: Environment): Promise<string> {
  return new Promise((resolve, reject) => {
    exec(
      command,
      { cwd: workingDirectory, timeout: TIME_LIMIT_MS, windowsHide: true, ...(env && { env }) },
      (error, stdout, stderr) => {
        if (error === null) {
          resolve((stdout.trim() || stderr.trim()).slice(0, LENGTH_LIMIT));
          return;
        }
        const why = stderr.trim().split('\n')[0] ?? messageOf(error);
        reject(
          new GatelineError(
            'TOOL_MISSING',
            `tools: \`${command}\` does not print a version: ${why || messageOf(error)}`,
            {
              cause: error,
            },
          ),
        );
      },
    );
  });
}
