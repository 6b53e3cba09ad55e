import type { HistoryEntry } from '../../history/history-entry.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitPlan } from '../../run/events.ts';

/** GitHub's facts about a run, and what reports show beside its view. */
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
  /** The newest run of the default branch: scores, times and cost are compared with it. */
  readonly baseline?: HistoryEntry;
  /** What makes the report red beside the gates: a job without a result, no gate at all. Texts from anybody. */
  readonly problems?: readonly string[];
  /** Address of the report as a page, if it was uploaded. */
  readonly page?: string;
  readonly units?: ReadonlyMap<UnitKey, UnitDetails>;
}

/** What a view does not hold about a unit. Texts come from agents. */
export interface UnitDetails {
  /** Page of its job. */
  readonly job?: string;
  /** What its step did, and why. */
  readonly plan?: UnitPlan;
  /** Only its start is shown. */
  readonly output?: JsonValue;
  readonly learnings?: string;
  /**
   * The whole line that opens the output, for a unit that waits: `/gateline approve review 0123…` on a pull request, else
   * the command that starts the workflow with it.
   */
  readonly approval?: string;
}

export function detailsOf({ units }: GithubContext, key: UnitKey): UnitDetails {
  return units?.get(key) ?? {};
}

/** Markdown that is safe already, as a link. Only https is linked. */
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
