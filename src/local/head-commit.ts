import type { Environment } from '../environment.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import type { UnderReview } from '../pipeline/pipeline.ts';
import { gitIn } from '../workspace/git/git.ts';

/** The commit that the workspace has checked out, with its author by email address and by name. */
export async function headCommit(root: string, environment: Environment): Promise<UnderReview> {
  try {
    const git = gitIn(root, { binary: 'git', environment });
    const answer = await git(['log', '-1', '--format=%H%x00%ae%x00%an', 'HEAD'], { answers: [0, 128] });
    const [commit = '', ...authors] = answer.out.toString('utf8').trimEnd().split('\0');
    if (commit !== '') return { commit, authors: authors.filter((name) => name !== '') };
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
  }
  return { commit: undefined, authors: [] };
}
