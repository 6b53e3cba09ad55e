import { posix } from 'node:path';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { ReportLinks } from '../../report/github/report-input.ts';
import type { WorkflowEvent } from './event.ts';
import { commitOf } from './head-commit.ts';

/** Pages of the run, its commit and its artifacts. */
export function linksOf(
  event: Pick<
    WorkflowEvent,
    'serverUrl' | 'repository' | 'runId' | 'sha' | 'startedFile' | 'refName' | 'defaultBranch' | 'pullRequest'
  >,
  artifacts: ReadonlyMap<UnitKey, readonly { readonly name: string; readonly id: number }[]> = new Map(),
): ReportLinks {
  const { serverUrl, repository, runId, sha, startedFile, refName, defaultBranch, pullRequest } = event;
  const runs = `${serverUrl}/${repository}/actions/runs`;
  const run = `${runs}/${runId}`;
  const pages = [...artifacts].map(
    ([key, list]) => [key, list.map(({ name, id }) => ({ name, url: `${run}/artifacts/${id}` }))] as const,
  );
  // No workflow can be started on the merge of a pull request.
  const ref = pullRequest === undefined ? refName : (defaultBranch ?? refName);
  const decide = { repository, workflow: posix.basename(startedFile), ref, run: runId, commit: commitOf(event) };
  return { run, runs, files: `${serverUrl}/${repository}/blob/${sha}`, artifacts: new Map(pages), decide };
}
