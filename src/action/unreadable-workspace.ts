import { GatelineError } from '../errors/gateline-error.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The workspace of a gate whose repository was there when it was begun and cannot be read any more. Its attempt can be ended, but
 * what it left among the files cannot be told: whatever asks for that gets `ATTEMPT_LOST`.
 * @param root absolute
 * @param cause what reading it came to
 */
export function unreadableWorkspace(root: string, cause: GatelineError): Workspace {
  const refuse = (): never => {
    throw new GatelineError(
      'platform',
      'ATTEMPT_LOST',
      `the repository that the gate was begun in cannot be read any more: ${cause.code}: ${cause.message}`,
      { hint: 'Let no step between `begin` and `complete` touch `.git`, and run the failed jobs again.', cause },
    );
  };
  const rejected = async (): Promise<never> => refuse();
  return {
    root,
    inputs: rejected,
    counts: refuse,
    baseline: rejected,
    changesSince: rejected,
    materialise: rejected,
    stands: rejected,
    readText: rejected,
    committed: rejected,
    branch: rejected,
  };
}
