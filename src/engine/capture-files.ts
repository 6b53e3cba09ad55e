import type { FileChange } from '../run/record.ts';
import type { Redactor } from '../untrusted/redact.ts';
import type { Issue } from '../verdict/verdict.ts';
import type { KeepContent } from '../workspace/workspace.ts';
import type { Begun } from './begin-attempt.ts';
import type { Call } from './call.ts';
import { coveredFiles, earlierWork } from './earlier-work.ts';

/** Files that an attempt left, and what is wrong with them. */
export interface Captured {
  readonly files: readonly FileChange[];
  readonly touched: readonly FileChange[];
  readonly problems: readonly Issue[];
}

/** Characters of a file that are looked at together with the ones after them: no secret is longer. */
const OVERLAP = 16 * 1024;

/**
 * Files that the gate hands on, kept in the store. A file with a secret in it is not kept: it would have to be
 * altered, and an altered file is not what the agent made.
 */
export async function captureFiles(call: Call, begun: Begun): Promise<Captured> {
  const { store, workspace } = call.ports;
  const keep: KeepContent = async (chunks) => {
    try {
      return await store.putStream(withoutSecrets(chunks, call.redactor));
    } catch (error) {
      if (error instanceof SecretFound) return { refused: 'it holds a secret' };
      throw error;
    }
  };
  const earlier = await earlierWork(call, begun);
  const baseline = call.running.get(begun.unit.key) ?? begun.baseline;
  const changes = await workspace.changesSince(baseline, begun.unit.gate.files, keep, earlier);
  const problems = changes.refused.map(({ path, why }): Issue => ({
    severity: 'error',
    message: `${path} cannot be handed on: ${why}`,
  }));
  const covered = await coveredFiles(call, begun.unit, baseline, earlier.made, changes);
  return { files: [...changes.files, ...covered], touched: changes.touched, problems };
}

class SecretFound extends Error {}

/** Passes chunks on, and throws before the last of them when there is a secret. */
async function* withoutSecrets(chunks: AsyncIterable<Uint8Array>, redactor: Redactor): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let tail = '';
  for await (const chunk of chunks) {
    const text = tail + decoder.decode(chunk, { stream: true });
    if (redactor.find(text).length > 0) throw new SecretFound();
    tail = text.slice(-OVERLAP);
    yield chunk;
  }
}
