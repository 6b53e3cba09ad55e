import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Environment } from '../../environment.ts';
import { GatelineError, isSystemError, messageOf } from '../../errors.ts';

/** The report on a pull request, and its line that approves an output. */
export interface PullRequestOutput {
  /** The comment of the report, Markdown. */
  readonly report: string;
  /** `/gateline approve GATE DIGEST` */
  readonly line: string;
}

/** Runs `gh` in a clone. @returns its standard output */
export type Gh = (...args: readonly string[]) => Promise<string>;

export function createGh(folder: string, environment: Environment): Gh {
  return async (...args) => {
    try {
      const { stdout } = await promisify(execFile)('gh', args, {
        cwd: folder,
        env: { ...environment },
        maxBuffer: 64 * 1024 ** 2,
      });
      return stdout;
    } catch (error) {
      const isMissing = isSystemError(error, 'ENOENT');
      throw new GatelineError('platform', isMissing ? 'there is no `gh` on the PATH' : messageOf(error).trim(), {
        hint: isMissing ? 'Install it (https://cli.github.com), or post the line of the report yourself.' : undefined,
        cause: error,
      });
    }
  };
}

const commentsSchema = z.array(
  z.object({ body: z.string().nullish(), user: z.object({ type: z.string() }).nullish() }),
);

/**
 * Finds the output of a unit that waits for a person on a pull request, in the newest report. The gate's job checks the
 * line, so a forged report can only name an output that does not exist.
 * @throws GatelineError `failed` if no report has a line for the unit
 */
export async function findWaitingOutput(gh: Gh, pullRequest: number, unit: string): Promise<PullRequestOutput> {
  const path = `repos/{owner}/{repo}/issues/${pullRequest}/comments?per_page=100`;
  const pages = JSON.parse(await gh('api', '--paginate', '--slurp', path)) as readonly unknown[];
  const comments = pages.flatMap((page) => commentsSchema.parse(page));
  const reports = comments.flatMap(({ body, user }) =>
    user?.type === 'Bot' && body?.startsWith('<!-- gateline-comment/1 ') ? [body] : [],
  );
  for (const report of reports.reverse()) {
    const line = report.split('\n').find((text) => text.startsWith(`/gateline approve ${unit} `));
    if (line !== undefined) return { report: report.split('\n').slice(1).join('\n'), line: line.trim() };
  }
  throw new GatelineError('failed', `no report on pull request ${pullRequest} waits for a decision about ${unit}`, {
    hint: `\`gh pr view ${pullRequest} --comments\` shows the reports.`,
  });
}

/** Posts a decision as a comment of the person who is logged in to `gh`. @returns its URL */
export async function postDecision(
  gh: Gh,
  pullRequest: number,
  { line }: PullRequestOutput,
  { decision, reason }: { readonly decision: 'approve' | 'reject'; readonly reason: string },
): Promise<string> {
  const text = `${line.replace('approve', decision)} ${reason.replaceAll(/[^ -~]+/g, ' ').slice(0, 1_000)}`.trim();
  return (await gh('pr', 'comment', String(pullRequest), '--body', text)).trim();
}
