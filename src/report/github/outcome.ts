import { countOf, formatDuration, formatMoney, joinTexts } from '../amounts.ts';
import { savedText } from '../unit-texts.ts';
import type { RunView } from '../view.ts';
import type { GithubContext } from './context.ts';

/** The outcome of a run for title, comment, badge and outputs, without texts of agents. */
export interface Outcome {
  readonly icon: string;
  readonly text: string;
  /** Color of the badge. */
  readonly color: string;
}

/** The outcome of a run. Problems of a report make it red, whatever its gates did. */
export function outcomeOf({ status }: RunView, { problems = [] }: GithubContext): Outcome {
  if (problems.length > 0 && status !== 'error' && status !== 'paused')
    return { icon: '❌', text: 'not everything was checked', color: 'red' };
  const [icon, text, color] = OUTCOMES[status];
  return { icon, text, color };
}

const OUTCOMES: Readonly<Record<RunView['status'], readonly [icon: string, text: string, color: string]>> = {
  initializing: ['⏳', 'not started', 'lightgrey'],
  executing: ['🔄', 'not finished', 'lightgrey'],
  paused: ['⏸️', 'waiting for a person', 'yellow'],
  error: ['❌', 'failed', 'red'],
  completed: ['✅', 'passed', 'brightgreen'],
  rollback: ['⏪', 'rolled back', 'lightgrey'],
  closed: ['⏹️', 'closed', 'lightgrey'],
};

/** The document that shields.io draws a badge from: https://shields.io/badges/endpoint-badge */
export function renderBadge(view: RunView, context: GithubContext) {
  const { text, color } = outcomeOf(view, context);
  return { schemaVersion: 1, label: view.pipeline, message: text, color } as const;
}

/** Outputs of the report's step, one line each; `status` is a run status. */
export function reportOutputs(view: RunView, context: GithubContext) {
  const { figures, status } = view;
  const { text, color } = outcomeOf(view, context);
  const parts = [
    `${text}: ${figures.done} of ${countOf(figures.units, 'gate')} done`,
    savedText(figures) ?? '',
    formatDuration(figures.ms),
    formatMoney(figures.costUsd),
  ];
  return { status: color === 'red' ? 'error' : status, summary: joinTexts(parts, '; ') };
}
