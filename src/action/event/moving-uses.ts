import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type YAMLMap } from 'yaml';
import { isMoving } from '../../pipeline/file/uses.ts';

/** A `uses:` whose content may change without a change of the workflow. */
export interface MovingUse {
  /** As written in the file. */
  readonly uses: string;
  /** From 1. */
  readonly line: number;
}

const MAX_WORKFLOW_BYTES = 1_048_576;

/**
 * The `uses:` of a job and of its steps that are not pinned: a tag or a branch of another repository, or a container
 * image without a digest. References into the workflow's own repository (`./…`, `$/…`) change with its commit, which is
 * part of the fingerprint. Never throws: a text that is not a workflow has none.
 * @param text of the workflow file; a text over 1 MiB is not read
 */
export function movingUses(text: string, job: string): MovingUse[] {
  if (text.length > MAX_WORKFLOW_BYTES) return [];
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent', prettyErrors: false });
  const defined = mapIn(document, ['jobs', job]);
  if (defined === undefined) return [];
  const steps = resolved(document, defined.get('steps', true));
  const holders = [defined, ...(isSeq(steps) ? steps.items : [])];
  return holders.flatMap((holder) => {
    const map = resolved(document, holder);
    const uses = isMap(map) ? resolved(document, map.get('uses', true)) : undefined;
    if (!isScalar(uses) || typeof uses.value !== 'string' || !isMoving(uses.value.trim())) return [];
    return [{ uses: uses.value.trim(), line: lines.linePos(uses.range?.[0] ?? 0).line }];
  });
}

function mapIn(document: Document.Parsed, path: readonly string[]): YAMLMap | undefined {
  let here: unknown = document.contents;
  for (const key of path) {
    const map = resolved(document, here);
    here = isMap(map) ? map.get(key, true) : undefined;
  }
  const found = resolved(document, here);
  return isMap(found) ? found : undefined;
}

/** Resolves an alias: GitHub supports YAML anchors. */
function resolved(document: Document.Parsed, node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'resolve' in node && typeof node.resolve === 'function'
    ? (node as { resolve(document: Document.Parsed): unknown }).resolve(document)
    : node;
}
