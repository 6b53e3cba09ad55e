import { HOW_TO_APPROVE } from '../../run/records/decisions.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { lackingUnit, resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import type { VerdictKind } from '../../verdict/verdict.ts';
import { listOf } from '../text.ts';
import { budgetStep } from '../wording.ts';
import { code, said } from '../markdown/markdown.ts';

/** GitHub's button: same commit, only failed jobs and the jobs that need them. */
const AGAIN = '**Re-run failed jobs** tries again with the same commit; gates that are done do not run again.';
const PUSH = 'Or push a fix: this starts a new run, which reuses every gate whose inputs are unchanged.';

const LACKS = 'Let a gate before it create that, or let it recover with `on-invalid: recover` and a command that does.';

/** The fix for each kind of failure. */
const REMEDY: Readonly<Record<VerdictKind, 'again' | 'either' | 'secret' | 'contract' | 'claimed'>> = {
  passed: 'either',
  partial: 'either',
  'not-applicable': 'either',
  missing: 'either',
  malformed: 'either',
  'too-large': 'either',
  schema: 'either',
  result: 'either',
  score: 'either',
  check: 'either',
  files: 'either',
  workspace: 'either',
  'agent-error': 'either',
  'not-started': 'either',
  timeout: 'again',
  cancelled: 'again',
  lost: 'again',
  claimed: 'claimed',
  'no-secret': 'secret',
  contract: 'contract',
};

/**
 * What to do about one unit, as safe Markdown: one paragraph. `next`: units that need it and are not known to be done.
 */
export function nextStepOf(unit: UnitState, next: readonly UnitKey[] = []): string {
  if (unit.done) {
    const names = next.map((key) => code(key));
    return names.length === 0 ? 'This gate is done.' : `Next: ${listOf(names, 10)}.`;
  }
  if (unit.status === 'paused') return `It waits for an approval: ${HOW_TO_APPROVE}. The gates after it wait too.`;
  if (unit.status === 'running') return 'It is running.';
  if (unit.status === 'lost') return `Its machine or process stopped. ${AGAIN}`;
  if (unit.blockedBy === 'budget') return `${budgetStep(unit)}. ${PUSH.replace('Or push a fix', 'Push the change')}`;
  if (unit.blockedBy === 'entities') return `It was not started: ${said(unit.reason, 500)}. ${LACKS}`;
  if (unit.status === 'blocked' || unit.status === 'pending')
    return 'It starts when the gates it needs are done. Fix those first.';
  if (unit.unread !== undefined) return `Its result is unknown: ${said(unit.unread, 500)}. ${AGAIN}`;
  if (unit.status === 'ready') return `It can start. ${AGAIN}`;
  if (unit.decided !== undefined) return `Somebody made this decision. ${PUSH.replace('Or push', 'Push')}`;
  const verdict = resultOf(unit)?.verdict;
  const advice = verdict === undefined || verdict.advice.trim() === '' ? '' : `${said(verdict.advice)} `;
  return `${advice}${remedyText(verdict?.kind ?? 'lost')}`;
}

function remedyText(kind: VerdictKind): string {
  const remedy = REMEDY[kind];
  if (remedy === 'again') return AGAIN;
  if (remedy === 'secret')
    return `Set the secret in the repository’s settings, then: ${AGAIN} Runs from forks get no secrets.`;
  if (remedy === 'contract') return 'Fix the contract and push: no output can be checked until then.';
  if (remedy === 'claimed')
    return 'Another job has claimed this gate. Check for two jobs with the same gate id, or wait for the other job, then re-run this one.';
  return `${AGAIN} ${PUSH}`;
}

/** What to do about a run, as safe Markdown: one paragraph about the first obstacle. */
export function nextStepOfRun(state: RunState): string {
  const open = [...state.units.values()].filter(({ done }) => !done);
  if (state.status === 'completed') return 'Every gate is done.';
  const unread = state.problems.find(({ code: kind }) => kind === 'UNREADABLE_RECORD');
  const lacking = lackingUnit(state);
  if (state.status === 'initializing' && lacking !== undefined) return `${code(lacking.key)}: ${nextStepOf(lacking)}`;
  if (state.status === 'initializing') {
    return unread === undefined
      ? 'No gate has started.'
      : `Not everything could be read: ${said(unread.message, 500)}.`;
  }
  for (const status of [
    'failed',
    'lost',
    'partial',
    'unread',
    'paused',
    'running',
    'budget',
    'entities',
    'ready',
  ] as const) {
    const first = open.find((unit) =>
      status === 'unread'
        ? unit.unread !== undefined
        : status === 'budget' || status === 'entities'
          ? unit.blockedBy === status
          : unit.status === status,
    );
    if (first !== undefined) return `${code(first.key)}: ${nextStepOf(first)}`;
  }
  return 'Gates wait for others that are not done.';
}
