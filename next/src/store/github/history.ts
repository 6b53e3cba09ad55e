import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import { pauseAfterRequest, REQUEST_MS, type Octokit } from '../../github/octokit.ts';
import { withRetry } from '../../github/retry.ts';
import { historyEntrySchema, type HistoryEntry } from '../../history/history-entry.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Artifacts } from './artifacts.ts';

/** Entries that an artifact carries: those that its writer read, and its own. */
const MAX_ENTRIES = 100;
const MAX_BYTES = 16 * 1024 * 1024;
/** History is for display: a report waits for it no longer, in milliseconds. */
const WAIT_MS = 20_000;

const FORMAT = 'gateline-history/1';
const documentSchema = z.object({ format: z.literal(FORMAT), entries: z.array(historyEntrySchema).max(MAX_ENTRIES) });

/** What GitHub says: https://docs.github.com/rest/actions/artifacts */
const listSchema = z.object({
  artifacts: z.array(
    z.object({
      id: z.int(),
      expired: z.boolean(),
      size_in_bytes: z.number(),
      created_at: z.string(),
      workflow_run: z.object({
        id: z.int(),
        head_branch: z.string().nullish(),
        repository_id: z.int(),
        head_repository_id: z.int().nullish(),
      }),
    }),
  ),
});

export interface HistoryPorts {
  readonly artifacts: Artifacts;
  readonly octokit: () => Promise<Octokit>;
  readonly report: (line: string) => void;
}

/** The same in all runs: artifacts are listed across runs by their exact name only. */
export function historyName(pipeline: string): string {
  return `gateline-history.${pipeline}.json`;
}

/** The newest entries, the newest first; of several of one run the first. */
export function mergeHistory(newest: readonly HistoryEntry[], earlier: readonly HistoryEntry[]): HistoryEntry[] {
  const byRun = new Map<string, HistoryEntry>();
  for (const entry of [...newest, ...earlier]) {
    const run = JSON.stringify([entry.pipeline, entry.subject, entry.runId ?? entry.run]);
    if (!byRun.has(run)) byRun.set(run, entry);
  }
  return [...byRun.values()].slice(0, MAX_ENTRIES);
}

/** Reads the newest history of these branches. Never fails: without it, a report shows its own run only. */
export async function readHistory(
  { artifacts, octokit, report }: HistoryPorts,
  repository: string,
  branches: readonly string[],
  pipeline: string,
): Promise<readonly HistoryEntry[]> {
  const [owner = '', repo = ''] = repository.split('/');
  const request = { owner, repo, name: historyName(pipeline), per_page: 30 };
  try {
    const rest = (await octokit()).rest.actions;
    const call = async (): Promise<unknown> => (await rest.listArtifactsForRepo(request)).data;
    const limits = { tryMs: REQUEST_MS, deadline: Date.now() + WAIT_MS, pauseAfter: pauseAfterRequest, report };
    const list = listSchema.parse(await withRetry('The list of history artifacts', call, limits));
    const [newest] = list.artifacts
      .filter(({ expired, size_in_bytes: size }) => !expired && size <= MAX_BYTES)
      // A fork's branch may have any name, and its runs put artifacts into the same list.
      .filter(({ workflow_run: run }) => run.head_repository_id === run.repository_id)
      .filter(({ workflow_run: run }) => branches.includes(run.head_branch ?? ''))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
    if (newest === undefined) return [];
    const options = { runId: newest.workflow_run.id, maxBytes: MAX_BYTES, waitMs: WAIT_MS };
    const content = await artifacts.read(newest.id, options);
    const json = content && parseJson(content.bytes, { maxBytes: MAX_BYTES });
    return json?.ok ? documentSchema.parse(json.value).entries : [];
  } catch (error) {
    report(`The history of earlier runs is not shown: ${messageOf(error)}`);
    return [];
  }
}

/** Stores the history for later runs. Never fails. */
export async function saveHistory(
  { artifacts, report }: Pick<HistoryPorts, 'artifacts' | 'report'>,
  pipeline: string,
  entries: readonly HistoryEntry[],
  retentionDays?: number,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ format: FORMAT, entries: entries.slice(0, MAX_ENTRIES) }));
  try {
    const options = { retentionDays, waitMs: WAIT_MS, isReplacing: true };
    await artifacts.upload('The upload of the history', () => historyName(pipeline), bytes, options);
  } catch (error) {
    report(`Later runs will not show this one in their history: ${messageOf(error)}`);
  }
}
