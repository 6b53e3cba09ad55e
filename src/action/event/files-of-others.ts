import type { EnginePorts } from '../../engine/ports.ts';
import { withoutNamed } from '../../environment.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { mayBeCommitted } from '../../workspace/git/committed.ts';
import { gitIn } from '../../workspace/git/git.ts';
import { commitOf } from './head-commit.ts';
import type { ActionInvocation } from '../invocation.ts';

/**
 * Why a state file must not be used as an output, although it is there; `undefined`: it may be. In runs for changes of
 * others, the commit under test must not have it: its author would make the output of a gate.
 * @param pipeline whose secrets git does not get: filters are programs that it starts
 * @returns a function of the path, relative to the root
 */
export function whyNotUsed(
  { event }: Pick<ActionInvocation, 'event'>,
  root: string,
  { workspace, environment: all }: Pick<EnginePorts, 'workspace' | 'environment'>,
  pipeline: Pipeline,
): (path: string) => Promise<string | undefined> {
  const { row, isFork } = event.trust;
  const isForeign = row === 'fork' || row === 'base' || isFork;
  const environment = withoutNamed(
    all,
    pipeline.gates.flatMap((gate) => gate.secrets),
  );
  const git = gitIn(root, { binary: workspace.git, environment });
  return async (path) => {
    if (!isForeign || !(await mayBeCommitted(git, path, [event.sha, commitOf(event)]))) return undefined;
    return 'the commit under test has it, and this run is not only about commits of the repository';
  };
}
