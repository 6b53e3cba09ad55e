import type { AgentFile, AttemptDirectory, AttemptFiles } from '../../agent/attempt-files.ts';
import { ATTEMPT_FILES } from '../../engine/attempt/agent-environment.ts';

/**
 * Attempt directories that return the step's input text as the output if the agent did not write to `GATELINE_OUTPUT`.
 */
export function withGivenOutput(attempts: AttemptFiles, text: string): AttemptFiles {
  const bytes = new TextEncoder().encode(text);
  const given = async (limit: number): Promise<AgentFile> =>
    bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
  return {
    root: attempts.root,
    pathOf: (id) => attempts.pathOf(id),
    create: async (id) => withOtherOutput(await attempts.create(id), given),
    open: async (id) => {
      const directory = await attempts.open(id);
      return directory && withOtherOutput(directory, given);
    },
  };
}

/**
 * A directory whose output, if the agent did not write it there, is read from elsewhere.
 * @param read receives the limit in bytes
 */
export function withOtherOutput(
  directory: AttemptDirectory,
  read: (limit: number) => Promise<AgentFile>,
): AttemptDirectory {
  return {
    path: directory.path,
    pathOf: (name) => directory.pathOf(name),
    write: (name, chunks) => directory.write(name, chunks),
    place: (name, digest, place) => directory.place(name, digest, place),
    remove: (name) => directory.remove(name),
    read: async (name, limit) => {
      const own = await directory.read(name, limit);
      return name === ATTEMPT_FILES.output && own.state === 'absent' ? read(limit) : own;
    },
  };
}
