import { z } from 'zod';
import { messageOf } from '../../errors.ts';
import type { Github } from '../../github/octokit.ts';
import { within } from '../../github/retry.ts';
import { historyEntrySchema, type HistoryEntry } from '../../history/history-entry.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Artifacts } from './artifacts.ts';

/** Entries in an artifact, the newest first: that of its run, and those that its writer read. */
const MAX_ENTRIES = 100;
const MAX_BYTES = 16 * 1024 * 1024;
/** How long a report waits for the history, which it only shows. */
const LIMIT_MS = 30_000;
const FORMAT = 'gateline-history/1';
const documentSchema = z.object({ format: z.literal(FORMAT), entries: z.array(historyEntrySchema).max(MAX_ENTRIES) });

const runSchema = z.object({
  id: z.int(),
  head_branch: z.string().nullish(),
  repository_id: z.int(),
  head_repository_id: z.int().nullish(),
});
const artifactSchema = z.object({ id: z.int(), created_at: z.string(), workflow_run: runSchema });
/** https://docs.github.com/rest/actions/artifacts */
const listSchema = z.object({ artifacts: z.array(artifactSchema) });

export interface HistoryPorts {
  readonly artifacts: Artifacts;
  readonly github: Github;
}

/** The same in all runs, since artifacts of all runs can only be listed by their exact name. */
function artifactNameOf(pipeline: string): string {
  return `gateline-history.${pipeline}.json`;
}

/** The newest entries, the newest first. If a run has several, the first counts. */
export function mergeHistory(newest: readonly HistoryEntry[], earlier: readonly HistoryEntry[]): HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const entry of [...newest, ...earlier]) {
    const run = JSON.stringify([entry.pipeline, entry.subject, entry.runId ?? entry.run]);
    if (!entries.has(run)) entries.set(run, entry);
  }
  return [...entries.values()].slice(0, MAX_ENTRIES);
}

/** The newest history that a run of these branches stored, for display. Never fails. */
export async function readHistory(
  { artifacts, github }: HistoryPorts,
  branches: readonly string[],
  pipeline: string,
): Promise<readonly HistoryEntry[]> {
  try {
    const answer: unknown = await github.read('The request for the histories', 'actions: read', ({ rest }, place) =>
      rest.actions.listArtifactsForRepo({ ...place, name: artifactNameOf(pipeline), per_page: 30 }),
    );
    const list = listSchema.parse(answer);
    const [newest] = list.artifacts
      // Artifacts of forks are in the same list, and a fork can give its branch any name.
      .filter(({ workflow_run: run }) => run.head_repository_id === run.repository_id)
      .filter(({ workflow_run: run }) => branches.includes(run.head_branch ?? ''))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
    if (newest === undefined) return [];
    const reading = artifacts.read(newest.id, newest.workflow_run.id, MAX_BYTES);
    const content = await within(LIMIT_MS, 'The download of the history', reading);
    const json = content && parseJson(content.bytes, { maxBytes: MAX_BYTES });
    return json?.ok ? documentSchema.parse(json.value).entries : [];
  } catch (error) {
    github.report(`The history of earlier runs is not shown: ${messageOf(error)}`);
    return [];
  }
}

/** Stores the history for later runs. Never fails. */
export async function saveHistory(
  { artifacts, github }: HistoryPorts,
  pipeline: string,
  entries: readonly HistoryEntry[],
  retentionDays?: number,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify({ format: FORMAT, entries: entries.slice(0, MAX_ENTRIES) }));
  try {
    const what = 'The upload of the history';
    const upload = artifacts.upload(what, () => artifactNameOf(pipeline), bytes, retentionDays);
    await within(LIMIT_MS, what, upload);
  } catch (error) {
    github.report(`Later runs do not show this one in their history: ${messageOf(error)}`);
  }
}
