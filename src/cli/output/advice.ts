import { runSummaryLines, type Commands } from '../../report/terminal/run-summary.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { listOf, oneLine } from '../../report/text.ts';
import type { RunState, UnitState } from '../../run/state/run-state.ts';
import { unitsNamed } from '../../run/records/named-units.ts';
import { ancestorsOf, descendantsOf, graphOf, type UnitGraph } from '../../run/records/unit.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import { listOption, textOption, type OptionValues } from '../command.ts';

/** The options of {@link adviceLines}. */
export interface Advice {
  readonly graph: UnitGraph;
  /** Options of the command that was called: those that select its target are repeated in the advice. */
  readonly options: OptionValues;
  /** Errors, printed above, kept gates from running. */
  readonly isBlocked?: boolean;
  /** Done units that will run again. */
  readonly reruns?: ReadonlySet<UnitKey>;
  /** Sentences about loops that may not send their work back again. */
  readonly usedUp?: readonly string[];
}

/** The result of a run and the next commands, one line each. */
export function adviceLines(
  state: RunState,
  { graph: defined, options, isBlocked = false, reruns = new Set(), usedUp = [] }: Advice,
): string[] {
  const graph = graphOf(defined, state.units.values());
  const about = pointers(options);
  const commands: Commands = {
    run: `gateline run${about}`,
    resume: `gateline resume${about}`,
    status: `gateline status${about}`,
    show: (key) => `gateline show ${key}${about}`,
  };
  const held = isBlocked ? 'by-errors' : waitsForAgents(state, graph) ? 'by-agents' : undefined;
  // Whether those after them run again, too, depends on what comes out.
  const again = [...state.units.values()].flatMap(({ key, isStale }) =>
    isStale === true || reruns.has(key) ? [key] : [],
  );
  const open = new Set(again.flatMap((key) => [key, ...descendantsOf(graph, key)]));
  const lines = runSummaryLines(state, commands, held, open);
  lines.push(...usedUp.map(oneLine));
  for (const unit of state.units.values()) {
    const key = oneLine(unit.key);
    if (unit.status === 'paused')
      lines.push(`Let ${key} pass: \`gateline approve ${key} --reason TEXT${about}\`; or \`reject\`.`);
    if (!isPaused(state) && canStart(unit) && runsByItself(unit, graph))
      lines.push(whatStartsIt(graph, unit.key, about, isOver(state)));
  }
  lines.push(...needsLeftOut(state, graph, options));
  return lines;
}

/** Whether all that can start now are gates whose agents run by themselves: `gateline run` would start nothing. */
function waitsForAgents(state: RunState, graph: UnitGraph): boolean {
  const next = [...state.units.values()].filter(canStart);
  return (
    state.status !== 'initializing' &&
    !isPaused(state) &&
    next.length > 0 &&
    next.every((unit) => unit.status === 'ready' && runsByItself(unit, graph))
  );
}

/** By a person: nothing can begin, until `gateline resume`. */
function isPaused({ status, decided }: RunState): boolean {
  return status === 'paused' && decided.paused !== undefined;
}

/** Whether the run is over, so that the next command starts a new run. */
function isOver({ status, decided }: RunState): boolean {
  return status === 'rollback' || decided.closed !== undefined;
}

function canStart({ done, status }: UnitState): boolean {
  return !done && (status === 'ready' || status === 'failed' || status === 'lost');
}

function runsByItself({ key }: UnitState, graph: UnitGraph): boolean {
  return graph.get(key)?.gate.run === undefined;
}

function whatStartsIt(graph: UnitGraph, unit: UnitKey, about: string, isOfNewRun: boolean): string {
  const key = oneLine(unit);
  const begin = `\`gateline begin ${key}${about}\`${isOfNewRun ? ' starts a new run' : ''}, then \`gateline complete\``;
  const uses = graph.get(unit)?.gate.uses;
  if (uses === undefined) return `The agent of ${key} runs by itself: ${begin}.`;
  const adopt = `\`gateline adopt ${key} --output FILE --reason TEXT${about}\``;
  return `${key} runs on GitHub (${oneLine(uses.action)}). Here: ${begin}; or ${adopt}; or write \`local: <command>\` at the gate.`;
}

/** With `--gate`: how to run those gates' needs as well. */
function needsLeftOut({ units }: RunState, graph: UnitGraph, options: OptionValues): string[] {
  const gates = listOption(options, 'gate');
  const asked = unitsNamed(graph, gates).map(({ key }) => key);
  const open = asked.filter((key) => units.get(key)?.done === false).flatMap((key) => ancestorsOf(graph, key));
  const left = [...new Set(open)].filter((key) => !units.get(key)!.done && !asked.includes(key)).map(oneLine);
  if (left.length === 0 || options['with-needs'] || options['stand-in']) return [];
  const command = `gateline run${gates.map((gate) => ` --gate ${shellWord(gate)}`).join('')} --with-needs`;
  return [`--gate leaves out ${listOf(left)}: \`${command}${pointers(options)}\` runs what is needed too.`];
}

/** `--file` and `--subject` as the user set them, quoted for a shell. */
export function pointers(options: OptionValues, names: readonly string[] = ['file', 'subject']): string {
  return names.map((name) => [name, textOption(options, name)] as const).reduce(spell, '');
}

function spell(text: string, [name, value]: readonly [string, string | undefined]): string {
  return value === undefined ? text : `${text} --${name} ${shellWord(oneLine(value))}`;
}
