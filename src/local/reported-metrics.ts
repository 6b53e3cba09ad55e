import type { AgentFile, AttemptFiles } from '../agent/attempt-files.ts';
import { textFile, withDirectories, withOtherFile } from '../agent/other-files.ts';
import { ATTEMPT_FILES } from '../engine/attempt/agent-environment.ts';
import { metricsOfClaudeCode } from '../formats/claude-code-result.ts';
import { parseJson } from '../json/parse-json.ts';

/** Bytes of a file that others wrote: all that was said in a session, of which little is kept. */
const FOREIGN_LIMIT = 64 * 1024 * 1024;

/**
 * Attempt directories in which metrics that Claude Code wrote are read as if they were ours. What is neither is left
 * for the engine, which says what is wrong with it.
 *
 * @param given reads what is there in place of the agent's own file, and receives the limit in bytes; default: nothing
 */
export function withReportedMetrics(
  attempts: AttemptFiles,
  given: (limit: number) => Promise<AgentFile> = async () => ({ state: 'absent' }),
): AttemptFiles {
  return withDirectories(attempts, (directory) =>
    withOtherFile(directory, ATTEMPT_FILES.metrics, async (limit) => {
      const own = await directory.read(ATTEMPT_FILES.metrics, FOREIGN_LIMIT);
      return translated(own.state === 'absent' ? await given(FOREIGN_LIMIT) : own, limit);
    }),
  );
}

function translated(file: AgentFile, limit: number): AgentFile {
  if (file.state !== 'present') return file;
  const parsed = parseJson(file.bytes, { loneSurrogates: true });
  const metrics = parsed.ok ? metricsOfClaudeCode(parsed.value) : undefined;
  if (metrics !== undefined) return textFile(JSON.stringify(metrics), limit);
  return file.bytes.length > limit ? { state: 'too-large', size: file.bytes.length } : file;
}
