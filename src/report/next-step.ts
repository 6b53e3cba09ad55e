import { shellWord } from '../untrusted/escape.ts';
import type { UnitStatus } from '../run/status.ts';
import type { UnitState } from '../run/unit-state.ts';
import { worksByItself } from '../run/units.ts';
import type { NextStep, RunView } from './view.ts';

/**
 * What to do about a run: the first row that applies.
 *
 * | run | step |
 * | --- | --- |
 * | none yet | `gateline run`, or `gateline begin GATE` |
 * | completed, and nobody decided about a gate since | `gateline diff`, if gates changed files |
 * | closed | `gateline run` starts another one |
 * | held by a pause or a rollback | `gateline resume` |
 * | a unit, by its status in the order of {@link UNIT_ORDER} | that of the unit, see {@link unitStep} |
 * | otherwise | `gateline run` |
 *
 * For a run in a clone, commands get `--isolated`, and `gateline apply` replaces `gateline diff`. All end with the
 * `target` of the view.
 */
export function nextStep(view: Omit<RunView, 'next'>): NextStep {
  const step = stepInFolder(view);
  if (view.clone === undefined) return step;
  if (step.command?.startsWith('gateline diff'))
    return { text: 'Bring the files of the gates into this folder', command: `gateline apply${view.target ?? ''}` };
  return { ...step, command: step.command?.replace(/^gateline (run|resume)\b/, '$& --isolated') };
}

function stepInFolder({ run, status, units, paused, clone, target = '' }: Omit<RunView, 'next'>): NextStep {
  const start = `gateline run${target}`;
  // Files of a used output are changes of an earlier run, except in a clone, whose files are not in the folder yet.
  const hasChanges = units.some(({ changes, how }) => changes.length > 0 && (how !== 'used' || clone !== undefined));
  const first = units.find(({ next }) => next !== undefined)?.next;
  if (run === 0)
    return first?.command?.startsWith('gateline begin ') ? first : { text: 'Start the first run', command: start };
  const isDone = !units.some(({ next, attempts }) => next !== undefined && attempts.length > 0);
  if (status === 'completed' && isDone)
    return hasChanges
      ? { text: 'See what the gates changed', command: `gateline diff${target}` }
      : { text: 'All gates are done' };
  if (status === 'closed') return { text: 'The run was closed: start another one', command: start };
  if (paused) return { text: `Continue the run that ${paused.actor} holds`, command: `gateline resume${target}` };
  for (const wanted of UNIT_ORDER) {
    const unit = units.find((other) => other.status === wanted && other.next !== undefined);
    if (unit) return unit.next!;
  }
  return { text: 'Continue the run', command: start };
}

/** A running agent comes first: nothing else can be done beside it. */
const UNIT_ORDER: readonly UnitStatus[] = ['running', 'failed', 'partial', 'lost', 'paused', 'pending'];

/**
 * What to do about a unit; undefined: nothing, or something about a unit that it needs.
 *
 * | unit | step |
 * | --- | --- |
 * | running between `begin` and `complete` | `gateline complete GATE` |
 * | running | wait |
 * | failed, rejected or interrupted | fix what the verdict says, then as if it were pending |
 * | below its threshold | approve it; or improve it, then `gateline run --force GATE` |
 * | lost | `gateline run` |
 * | waits for a person | `gateline approve GATE` |
 * | skipped or adopted, and its turn has not come | `gateline run` |
 * | pending, and its needs are done | `gateline run`; `gateline begin GATE` if its agent works by itself |
 * @param reworks how often its output sent the work back, if it may not do so again; else 0
 * @param target see {@link RunView.target}
 * @param output path of the output of its newest attempt
 */
export function unitStep(
  { unit, status, done, ended, attempts, pendingDecision }: UnitState,
  isReady: boolean,
  reworks: number,
  target: string,
  output = '',
): NextStep | undefined {
  const { key, gate } = unit;
  const more =
    reworks > 0 ? ` (\`gateline run --max-iterations ${reworks + 2}${target}\` sends it back once more)` : '';
  const name = shellWord(key);
  const start = `gateline run${target}`;
  const again = worksByItself(gate) ? `gateline begin ${name}${target}` : start;
  if (done) return undefined;
  switch (status) {
    case 'running':
      return attempts.at(-1)?.started?.process
        ? { text: `Wait for ${key}` }
        : {
            text: `When the output of ${key} is in ${output}, end its attempt`,
            command: `gateline complete ${name}${target}`,
          };
    case 'failed':
      if (ended?.verdict.status !== 'failed')
        return { text: `Run ${key} again: its output was rejected`, command: again };
      if (ended.verdict.kind === 'cancelled') return { text: `Run ${key} again: it was interrupted`, command: again };
      if (ended.verdict.kind === 'agent-error')
        return { text: `Fix ${key} (see \`gateline logs ${name}${target}\`), then run again`, command: again };
      return { text: `Fix ${key}${adviceText(ended.verdict.advice)}, then run again${more}`, command: again };
    case 'partial':
      return {
        text: `Accept ${key} as it is (\`gateline approve ${name} --reason WHY${target}\`), or improve it and run it again${more}`,
        command: `gateline run --force ${name}${target}`,
      };
    case 'lost':
      return { text: `Run again: ${key} continues on what is there`, command: start };
    case 'paused':
      if (ended === undefined || ended.part)
        return { text: 'Raise `max-cost` and run again, or begin another run', command: `gateline run --new${target}` };
      return {
        text: `Look at the output (\`gateline show ${name} output${target}\`), then approve or reject it`,
        command: `gateline approve ${name} --reason WHY${target}`,
      };
    case 'pending':
      if (!isReady) return undefined;
      if (pendingDecision === 'skip') return { text: `Go on without ${key}`, command: start };
      if (pendingDecision === 'adopt') return { text: `Go on with the output supplied for ${key}`, command: start };
      return { text: worksByItself(gate) ? `Begin the work of ${key}` : `Run ${key}`, command: again };
    default:
      return undefined;
  }
}

/** The advice of a verdict as the end of a clause. */
export function adviceText(text = ''): string {
  return text === '' ? '' : `: ${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
}
