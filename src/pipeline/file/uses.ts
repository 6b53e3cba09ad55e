/** A full commit id, with SHA-1 or SHA-256. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * Whether what a `uses` names can change without a change of the workflow: a tag or a branch of another repository, or
 * a container image without a digest. Files of the workflow's own repository (`./…`, `$/…`) change with its commit.
 */
export function isMoving(uses: string): boolean {
  if (uses === '' || /^(?:\.|\$)\//.test(uses)) return false;
  if (uses.startsWith('docker://')) return !/@sha256:[0-9a-f]{64}$/i.test(uses);
  return !COMMIT.test(uses.slice(uses.lastIndexOf('@') + 1));
}
