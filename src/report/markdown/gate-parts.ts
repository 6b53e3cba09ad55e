import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import type { FileChange } from '../../run/records/record.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { changeOf, ruleToName } from '../wording.ts';
import { code, said } from './markdown.ts';

/** ` (schema)`: the kind of a unit's verdict, unless the status says it or a decision replaced it. */
export function kindText(own: UnitState): string {
  const verdict = resultOf(own)?.verdict;
  return verdict === undefined || own.decided !== undefined || verdict.kind === own.status ? '' : ` (${verdict.kind})`;
}

/**
 * An issue as a list item: severity, pointer, place, message, rule.
 * @param severity safe Markdown
 * @param where the place in a file, safe Markdown that begins with a comma
 * @param quoted maximum bytes of the message
 */
export function issueItem(issue: Issue, severity: string = issue.severity, where = '', quoted?: number): string {
  const { message, pointer } = issue;
  const rule = ruleToName(issue);
  const at = pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : code(pointer)}`;
  const by = rule === undefined ? '' : `, by ${code(rule)}`;
  return `- ${severity}${at}${where}: ${said(message, quoted)}${by}`;
}

/** A changed file as a list item. */
export function fileItem(file: FileChange): string {
  return `- ${changeOf(file)} ${code(file.path, 1_024)}`;
}

/** The units that need this one and are not done, in the graph's order. */
export function openAfter({ key }: Unit, graph: UnitGraph, state: RunState): Unit[] {
  return [...graph.values()].filter((unit) => unit.needs.includes(key) && state.units.get(unit.key)?.done === false);
}
