import type { AttemptFiles } from '../../agent/attempt-files.ts';
import { textFile, withDirectories, withFallback } from '../../agent/other-files.ts';
import { ATTEMPT_FILES } from '../../engine/attempt/agent-environment.ts';

/**
 * Attempt directories that return the step's input text as the output if the agent did not write to `GATELINE_OUTPUT`.
 */
export function withGivenOutput(attempts: AttemptFiles, text: string): AttemptFiles {
  return withDirectories(attempts, (directory) =>
    withFallback(directory, ATTEMPT_FILES.output, async (limit) => textFile(text, limit)),
  );
}
