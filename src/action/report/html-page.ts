import { GatelineError } from '../../errors/gateline-error.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { reportContent } from '../../local/report/report-content.ts';
import { htmlReport } from '../../report/html/page.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { JobStore } from '../records/job-store.ts';
import type { ReportedRun } from './run-to-report.ts';

/**
 * Uploads the HTML page of the run as an artifact, if the step asks for it. Problems are notices: the page does not
 * affect the result.
 * @param history earlier runs of the pipeline, the newest first
 */
export async function keepPage(
  { world, inputs, event }: ActionInvocation,
  store: Pick<JobStore, 'keepDocument'>,
  { call, state, assignment }: ReportedRun,
  history: readonly HistoryEntry[],
): Promise<void> {
  if (!inputs.htmlReport) return;
  const name = `gateline-${state.pipeline}-${event.runAttempt}.html`;
  const download = `gh run download ${event.runId} --repo ${shellWord(event.repository)}`;
  const { pipeline } = assignment;
  const about = { pipeline, state, history, now: world.now(), commandFor: () => download };
  try {
    const page = htmlReport({ ...(await reportContent(call, about)), refresh: undefined });
    const kept = await store.keepDocument(name, page);
    if (kept === 'kept') return world.runner.info(`The page about this run is the artifact ${name}.`);
    const why = kept === 'taken' ? 'this run attempt has an artifact of that name' : kept.problem;
    world.runner.annotate('notice', `The page ${name} was not uploaded: ${why}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    world.runner.annotate('notice', `The page ${name} was not made: ${error.code}: ${error.message}`);
  }
}
