import type { FileChange, FileVersion } from '../run/files.ts';
import { findSecrets, type Redactor } from '../untrusted/redact.ts';
import { createMatcher } from './globs.ts';
import { isInnerLink } from './paths.ts';
import { LINK } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Files whose contents are in memory at a time. */
const BATCH = 50;

/**
 * Why files must not be handed on, one sentence each: a secret that the file did not hold before (with path and line), a
 * secret in the name of a file, or a link out of the folder.
 *
 * @param allowSecrets globs of files whose content may look like a secret
 */
export async function findHandOnProblems(
  workspace: Workspace,
  changes: readonly FileChange[],
  redactor: Redactor,
  allowSecrets: readonly string[],
): Promise<string[]> {
  const isAllowed = createMatcher(allowSecrets);
  const handedOn = changes.filter(({ after }) => after !== null);
  let earlier: string | undefined;
  const problems: string[] = [];
  for (let start = 0; start < handedOn.length; start += BATCH) {
    const batch = handedOn.slice(start, start + BATCH);
    const texts = await Promise.all(batch.map(({ after }) => readText(workspace, after)));
    for (const [index, { path, before, after }] of batch.entries()) {
      const text = texts[index]!;
      if (!isAllowed(path) && redactor.find(path).length > 0) problems.push(`the name of ${path} holds a secret`);
      if (leadsOut(path, after, text)) problems.push(`${path} is a link to ${text}, outside the folder`);
      if (isAllowed(path) || findSecrets(text, redactor).length === 0) continue;
      // A renamed file keeps its tokens. The value of a named secret may have been in another file only for this job.
      earlier ??= (await Promise.all(changes.map((change) => readText(workspace, change.before)))).join('\n');
      const secrets = findSecrets(text, redactor, await readText(workspace, before), earlier);
      problems.push(...secrets.map(({ line, label }) => `${path}:${line} holds a secret (${label})`));
    }
  }
  return problems;
}

/** Whether a version is a link out of the folder. @param content of the version: of a link, its target */
export function leadsOut(path: string, version: FileVersion | null, content: Uint8Array | string): boolean {
  return version?.startsWith(LINK) === true && !isInnerLink(path, Buffer.from(content).toString());
}

async function readText(workspace: Workspace, version: string | null): Promise<string> {
  const bytes = version === null ? undefined : await workspace.readVersion(version);
  return bytes === undefined ? '' : Buffer.from(bytes).toString();
}
