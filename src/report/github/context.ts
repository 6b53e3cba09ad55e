import type { HistoryEntry } from '../../history/history-entry.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitPlan } from '../../run/events.ts';

/** Facts of GitHub about a run, which reports show beside its view. */
export interface GithubContext {
  /** `https://github.com` */
  readonly server: string;
  /** `owner/name` */
  readonly repository: string;
  readonly runId: number;
  readonly runNumber: number;
  readonly runAttempt: number;
  /** The commit under test; '': none. */
  readonly sha: string;
  readonly eventName: string;
  readonly pullRequest?: number;
  /** The newest completed run of the default branch, with which scores, times and cost are compared. */
  readonly baseline?: HistoryEntry;
  /** Problems that make the report red even if all gates passed, such as a job without a result. Untrusted texts. */
  readonly problems?: readonly string[];
  /** URL of the report as an HTML page, if it was uploaded. */
  readonly page?: string;
  readonly units?: ReadonlyMap<UnitKey, UnitDetails>;
}

/** Facts about a unit that are not in its view. Untrusted texts. */
export interface UnitDetails {
  /** URL of its job. */
  readonly job?: string;
  /** The plan of its step. */
  readonly plan?: UnitPlan;
  readonly output?: JsonValue;
  readonly learnings?: string;
  /**
   * The line that approves the output, for a unit that waits: `/gateline approve review 0123…` on a pull request, else
   * the command that dispatches the workflow with the approval. Empty: nobody can, because the run is not on a branch.
   */
  readonly approval?: string;
}

export function detailsOf({ units }: GithubContext, key: UnitKey): UnitDetails {
  return units?.get(key) ?? {};
}

/** A link with a label of safe Markdown. Only https addresses are linked. */
export function linkTo(label: string, address: string | undefined): string {
  if (address === undefined || label === '' || !URL.canParse(address)) return label;
  const { protocol, href } = new URL(address);
  if (protocol !== 'https:') return label;
  return `[${label}](${href.replace(/[^\w.~:/?#@!$&+,;=%-]/g, (char) => `%${char.codePointAt(0)!.toString(16)}`)})`;
}

/** `run 7, attempt 2`, linked. */
export function runLink(context: GithubContext): string {
  const { runId, runNumber, runAttempt } = context;
  return linkTo(`run ${runNumber}, attempt ${runAttempt}`, runAddress(context, String(runId)));
}

/** Page of a workflow run, with a summary of each of its jobs. */
export function runAddress({ server, repository }: GithubContext, runId: string): string | undefined {
  return /^\d{1,20}$/.test(runId) ? `${server}/${repository}/actions/runs/${runId}` : undefined;
}

/** Page of a file in the commit under test. */
export function fileAddress({ server, repository, sha }: GithubContext, path: string, line?: number) {
  if (sha === '') return undefined;
  const name = path.split('/').map(encodeURIComponent).join('/');
  return `${server}/${repository}/blob/${sha}/${name}${line === undefined ? '' : `#L${line}`}`;
}
