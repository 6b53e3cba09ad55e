import { headOf } from '../../support/runner/repository.ts';
import type { ActionWorld, WorldRunOptions } from './action-world.ts';

/** A run for pull request 7 of the branch `feature`, with what is committed now. */
export async function pullRequest(world: ActionWorld, repository = 'octo/gates'): Promise<WorldRunOptions> {
  const head = await headOf(world.repository.root);
  const side = (sha: string, ref: string, name: string): object => ({ sha, ref, repo: { full_name: name } });
  const sides = { head: { ref: 'feature', sha: head, repository }, base: { ref: 'main', sha: head } };
  world.service.world.pulls.push({ number: 7, state: 'open', ...sides });
  return {
    about: {
      event: 'pull_request',
      headBranch: 'feature',
      headSha: head,
      headRepository: repository,
      pullRequests: [7],
    },
    payload: {
      repository: { full_name: 'octo/gates', default_branch: 'main' },
      pull_request: { number: 7, head: side(head, 'feature', repository), base: side(head, 'main', 'octo/gates') },
    },
  };
}
