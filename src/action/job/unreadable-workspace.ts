import { GatelineError } from '../../errors/gateline-error.ts';
import type { Definition } from './definition.ts';
import type { Checkout, Workspace } from '../../workspace/workspace.ts';

/**
 * The workspace of a gate whose repository existed at `begin` and is no longer readable. Its output can be judged, but
 * its file changes cannot be determined: every such operation throws `WORKSPACE_UNREADABLE`.
 * @param root absolute
 * @param cause why it cannot be read
 */
function unreadableWorkspace(root: string, cause: GatelineError): Workspace {
  const refuse = (): never => {
    throw new GatelineError(
      'WORKSPACE_UNREADABLE',
      `the repository that the gate began in can no longer be read: ${cause.code}: ${cause.message}`,
      { hint: 'Steps between `begin` and `complete` must not change `.git`. Re-run the failed jobs.', cause },
    );
  };
  const rejected = async (): Promise<never> => refuse();
  const reopen: Workspace['reopen'] = async ({ from }): Promise<Checkout> => ({
    root,
    from,
    environment: (inherited) => inherited,
    notices: [],
    capture: rejected,
    release: async () => undefined,
  });
  return {
    root,
    git: 'git',
    reopen,
    snapshot: rejected,
    files: rejected,
    currentFiles: rejected,
    matches: refuse,
    build: rejected,
    differences: rejected,
    keep: rejected,
    screen: rejected,
    discard: async () => undefined,
    prune: rejected,
    patch: rejected,
    wholePatch: rejected,
    checkOut: rejected,
    forget: async () => undefined,
    requireFolder: async () => undefined,
    sweep: async () => undefined,
    changes: rejected,
    put: rejected,
    earlierPuts: rejected,
    readText: rejected,
    committed: rejected,
    lastCommit: rejected,
    branch: rejected,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The definition and the workspace of a gate whose repository can no longer be read. @param root absolute */
export function withoutRepository(
  root: string,
  why: GatelineError,
): { readonly definition: Definition; readonly workspace: Workspace } {
  const readText = (): Promise<never> => Promise.reject(why);
  const definition = { pipeline: undefined, root, files: { readText }, notices: [], missing: why };
  return { definition, workspace: unreadableWorkspace(root, why) };
}
