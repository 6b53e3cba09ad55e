import { shellWord } from '../../untrusted/escape.ts';
import { code, quote } from '../markdown.ts';
import { adviceText } from '../next-step.ts';
import type { NextStep, RunView, UnitStatus, UnitView } from '../view.ts';
import { detailsOf, type GithubContext } from './context.ts';

/** What to do about a run on GitHub: about the first unit by {@link UNIT_ORDER}, else about the problems of the report. */
export function githubStep(view: RunView, context: GithubContext): NextStep {
  for (const status of UNIT_ORDER) {
    const unit = view.units.find((other) => other.status === status && !other.done);
    const step = unit && githubUnitStep(unit, context);
    if (step) return step;
  }
  if (context.problems?.length) return { text: `Fix what was not checked, then push; ${LOST}` };
  if (view.status === 'completed') return { text: 'All gates are done' };
  return { text: 'Run the workflow again' };
}

const UNIT_ORDER: readonly UnitStatus[] = ['failed', 'partial', 'lost', 'paused', 'pending', 'running'];

/**
 * What to do about a unit on GitHub; undefined: nothing, or something about a unit that it needs.
 *
 * | unit | step |
 * | --- | --- |
 * | failed | fix it, then push or re-run the failed jobs |
 * | rejected, interrupted, lost | re-run the failed jobs |
 * | below its threshold | improve it, or accept it by its line: a re-run would use the same output |
 * | waits for a person | look at the output, then approve it |
 * | without a result | look at its job, and repair what its error names |
 */
export function githubUnitStep(unit: UnitView, context: GithubContext): NextStep | undefined {
  const { key, done, status, verdict } = unit;
  const { approval } = detailsOf(context, key);
  const canApprove = approval !== undefined;
  if (done) return undefined;
  if (approval === '') return { text: `Run the workflow on a branch: an approval of ${key} needs that` };
  switch (status) {
    case 'failed':
      if (verdict?.status !== 'failed')
        return { text: `Re-run the failed jobs: the output of ${key} was rejected`, ...rerun(context) };
      if (verdict.kind === 'cancelled')
        return { text: `Re-run the failed jobs: ${key} was interrupted`, ...rerun(context) };
      const how = verdict.kind === 'missing' || verdict.kind === 'malformed' ? adviceText(verdict.advice) : '';
      return { text: `Fix ${key}${how}, then push, or re-run the failed jobs; ${USED}`, ...rerun(context) };
    case 'partial':
      if (canApprove) return { text: `Accept ${key} with its line, or improve it and push; ${USED}` };
      return {
        text: `Improve ${key}, then push: a re-run uses the same output. The report has the line that accepts it`,
      };
    case 'lost':
      return { text: `Re-run the failed jobs: the job of ${key} ended without a result`, ...rerun(context) };
    case 'paused':
      if (verdict === undefined) return { text: 'Raise `max-cost`, then push' };
      if (canApprove && context.pullRequest === undefined)
        return { text: `Look at the output of ${key}, then start the workflow by its line` };
      return canApprove
        ? { text: `Look at the output of ${key}, then approve it with its line` }
        : { text: `Look at the output of ${key}, approve it, then re-run the failed jobs`, ...rerun(context) };
    case 'pending':
    case 'running':
      return { text: `Look at the job of ${key}: repair what its error names, then push; ${LOST}` };
    default:
      return undefined;
  }
}

/** A job without a result may have an error in the workflow, which a re-run would repeat. */
const LOST = 're-run only jobs that were cancelled or lost their machine';
const USED = 'what passed is used again';

/** The command of `gh` that re-runs the failed jobs. */
function rerun({ runId, repository }: GithubContext): Pick<NextStep, 'command'> {
  return { command: `gh run rerun ${runId} --failed --repo ${shellWord(repository)}` };
}

/** A step as a paragraph. */
export function stepText({ text, command }: NextStep): string {
  return `**Next:** ${quote(text)}.${command === undefined ? '' : ` ${code(command)}`}`;
}
