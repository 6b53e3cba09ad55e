import type { AgentFile, AttemptDirectory, AttemptFiles } from './attempt-files.ts';

/** Attempt directories as `change` makes them of others. */
export function withDirectories(
  attempts: AttemptFiles,
  change: (directory: AttemptDirectory) => AttemptDirectory,
): AttemptFiles {
  return {
    root: attempts.root,
    pathOf: (id) => attempts.pathOf(id),
    create: async (id) => change(await attempts.create(id)),
    open: async (id) => {
      const directory = await attempts.open(id);
      return directory && change(directory);
    },
  };
}

/**
 * A directory in which one file is read in another way.
 * @param read receives the limit in bytes
 */
export function withOtherFile(
  directory: AttemptDirectory,
  file: string,
  read: (limit: number) => Promise<AgentFile>,
): AttemptDirectory {
  return {
    path: directory.path,
    pathOf: (name) => directory.pathOf(name),
    write: (name, chunks) => directory.write(name, chunks),
    place: (name, digest, place) => directory.place(name, digest, place),
    remove: (name) => directory.remove(name),
    read: (name, limit) => (name === file ? read(limit) : directory.read(name, limit)),
  };
}

/** The same, where the agent did not write the file. */
export function withFallback(
  directory: AttemptDirectory,
  file: string,
  read: (limit: number) => Promise<AgentFile>,
): AttemptDirectory {
  return withOtherFile(directory, file, async (limit) => {
    const own = await directory.read(file, limit);
    return own.state === 'absent' ? read(limit) : own;
  });
}

/** A text as a file. */
export function textFile(text: string, limit: number): AgentFile {
  const bytes = new TextEncoder().encode(text);
  return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
}
