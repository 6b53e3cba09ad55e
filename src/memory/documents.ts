/*
 * Documents for agents are Markdown files that git tracks: `.gateline/memory/<name>.md`. A gate sees those that its
 * `memory` names, as inputs like any other, and no others (docs/adr/0026-documents-for-agents.md).
 */

/** The folder of the documents, relative to the workspace. */
export const MEMORY_FOLDER = '.gateline/memory/';

/** Name of a document: `learned-patterns`. */
export const DOCUMENT_NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A summary of the run before, for a gate that asks for it under this name. It is made anew each time, not stored. */
export const HANDOFF = 'handoff';

/** Path of a document, relative to the workspace. */
export function documentPath(name: string): string {
  return `${MEMORY_FOLDER}${name}.md`;
}

/** Name of the document at a path of the workspace; `undefined` for any other file. */
export function documentAt(path: string): string | undefined {
  if (!path.startsWith(MEMORY_FOLDER) || !path.endsWith('.md')) return undefined;
  const name = path.slice(MEMORY_FOLDER.length, -'.md'.length);
  return DOCUMENT_NAME_PATTERN.test(name) && name !== HANDOFF ? name : undefined;
}

/** Whether a file is kept from a gate: it is below the folder, and none of the documents that the gate names. */
export function isHidden(path: string, { memory }: { readonly memory: readonly string[] }): boolean {
  if (!path.startsWith(MEMORY_FOLDER)) return false;
  const name = documentAt(path);
  return name === undefined || !memory.includes(name);
}
