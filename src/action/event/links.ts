import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { ReportLinks } from '../../report/github/report-input.ts';
import type { WorkflowEvent } from './event.ts';

/** Pages of the run, its commit and its artifacts. */
export function linksOf(
  { serverUrl, repository, runId, sha }: Pick<WorkflowEvent, 'serverUrl' | 'repository' | 'runId' | 'sha'>,
  artifacts: ReadonlyMap<UnitKey, readonly { readonly name: string; readonly id: number }[]> = new Map(),
): ReportLinks {
  const runs = `${serverUrl}/${repository}/actions/runs`;
  const run = `${runs}/${runId}`;
  const pages = [...artifacts].map(
    ([key, list]) => [key, list.map(({ name, id }) => ({ name, url: `${run}/artifacts/${id}` }))] as const,
  );
  return { run, runs, files: `${serverUrl}/${repository}/blob/${sha}`, artifacts: new Map(pages) };
}
