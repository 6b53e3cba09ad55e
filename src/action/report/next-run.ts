import { posix } from 'node:path';
import { z } from 'zod';
import type { RestClient } from '../../github/rest/rest.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { GivenRework } from '../../run/records/reworks.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { titleHolds } from '../event/run-title.ts';

/** A run of the same workflow that continues this one. */
export interface NextRun {
  /** Name of the workflow file. */
  readonly workflow: string;
  /** Name of the branch. */
  readonly branch: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly resume: string;
  readonly count: number;
}

/** The run that does again what this one sends back; for a pull request it is one of the head branch. */
export function nextRun({ startedFile, refName, pullRequest, runId }: WorkflowEvent, given: GivenRework): NextRun {
  const branch = pullRequest?.headBranch ?? refName;
  const inputs = {
    resume: runId,
    rework: canonicalJson(given),
    ...(pullRequest && { subject: `pr-${pullRequest.number}` }),
  };
  return { workflow: posix.basename(startedFile), branch, inputs, resume: runId, count: given.count };
}

const refSchema = z.object({ object: z.object({ sha: z.string() }) });

/** The commit that a branch is at. */
export async function headOfBranch(rest: RestClient, branch: string): Promise<string> {
  const path = `/repos/${rest.repository}/git/ref/heads/${branchInPath(branch)}`;
  return (await rest.call({ method: 'GET', path }, refSchema)).object.sha;
}

/** The name of a branch as part of a path of the REST API. */
export function branchInPath(branch: string): string {
  return branch.split('/').map(encodeURIComponent).join('/');
}

/** Starts the run. @throws GatelineError `REST_DENIED`, `REST_NOT_FOUND`, `REST_REFUSED`, `REST_OUTAGE`, … */
export async function startRun(rest: RestClient, { workflow, branch, inputs }: NextRun): Promise<void> {
  const path = `/repos/${rest.repository}/actions/workflows/${encodeURIComponent(workflow)}/dispatches`;
  await rest.call({ method: 'POST', path, body: { ref: branch, inputs } }, z.unknown());
}

const runsSchema = z
  .object({
    workflow_runs: z.array(
      z.object({ id: z.int(), display_title: z.string().nullish(), html_url: z.string().nullish() }),
    ),
  })
  .transform(({ workflow_runs }) => workflow_runs);

/**
 * The page of such a run that somebody has started: `run-name` of the workflow contains the id of the run that it
 * continues, `#`, and the count. `undefined`: none is among the newest hundred.
 */
export async function findRun(
  rest: RestClient,
  { workflow, branch, resume, count }: NextRun,
): Promise<{ readonly id: number; readonly url: string } | undefined> {
  const path = `/repos/${rest.repository}/actions/workflows/${encodeURIComponent(workflow)}/runs`;
  const query = { event: 'workflow_dispatch', branch };
  const { items } = await rest.list({ method: 'GET', path, query }, runsSchema, { pages: 1 });
  const found = items.find(({ display_title: title }) => titleHolds(title ?? '', `${resume}#${count}`));
  return found && { id: found.id, url: found.html_url ?? '' };
}

/** The command that starts the run, for a person. */
export function startCommand({ workflow, branch, inputs }: NextRun, repository: string): string {
  const fields = Object.entries(inputs).map(([name, value]) => `-f ${name}=${quoted(value)}`);
  return ['gh workflow run', quoted(workflow), '--repo', quoted(repository), '--ref', quoted(branch), ...fields].join(
    ' ',
  );
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
