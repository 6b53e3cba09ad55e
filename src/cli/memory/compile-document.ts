import { contentOf } from '../../local/report/parts.ts';
import { shownOf, textOfPart, whyAbsent } from '../project/show-parts.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import {
  DEEP_DIVE,
  DEFAULT_STALE_AFTER,
  deepDiveHeader,
  frontMatter,
  isShare,
  type DeepDiveHeader,
} from '../../formats/agent-flow/deep-dive.ts';
import { deepDiveSections, findingsIn } from '../../formats/agent-flow/deep-dive-sections.ts';
import { runsOf } from '../../history/query.ts';
import { parseJson } from '../../json/parse-json.ts';
import { currentCommit } from '../../local/memory/deep-dive.ts';
import { addEntries, newLearnings, readDocument, writeDocument } from '../../local/memory/documents.ts';
import { historyIn } from '../../local/local-ports.ts';
import { DOCUMENT_LIMITS, type Added } from '../../memory/entries.ts';
import { normalPath, pathProblem } from '../../pipeline/file/paths.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import { ancestorsOf, type Unit, type UnitGraph } from '../../run/records/unit.ts';
import { textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { durationOption } from '../project/duration-option.ts';
import { loadFor, openRun, type OpenedRun } from '../project/open.ts';

/** The document of what was done and what agents noted (seed 003). */
export const PROGRESS = 'progress';

/** The category of tasks in it. */
const COMPLETED = 'Completed Tasks';

/** The gate whose output a deep-dive document is made of, unless another one is named. */
const SYNTHESIS = 'synthesis';

/** A document that was written. */
export interface CompiledDocument {
  readonly text: string;
  readonly run: number;
  readonly gate: string;
}

/**
 * Writes the deep-dive document from the output of a gate. What it says about itself stays, unless an option changes
 * it.
 * @param asked the run; default: the newest
 * @throws GatelineError `DOCUMENT_NOT_COMPILED`, `OPTION_VALUE`, `GATE_UNKNOWN`, `CONTENT_MISSING`
 */
export async function compileDeepDive(
  invocation: CommandInvocation,
  asked: string | undefined,
): Promise<CompiledDocument> {
  const { world, options } = invocation;
  const opened = await openRun(invocation, await loadFor(invocation), { asked, where: 'compile', readOnly: true });
  const { root } = opened.loaded;
  const before = deepDiveHeader((await readDocument(root, DEEP_DIVE)) ?? '');
  const unit = synthesisOf(opened.graph, options);
  const output = parseJson(Buffer.from(await outputOf(opened, unit)));
  const read = findingsIn(output.ok ? output.value : undefined);
  if (!read.ok) throw notCompiled(unit.key, `its output is not a set of findings: ${read.message}`);
  const header = frontMatter({
    ...aboutItself(options, before),
    generated: world.now(),
    commit: await currentCommit(root, world.environment),
    agents: explorersOf(opened, unit),
  });
  const text = `${header}\n${deepDiveSections(read.findings)}`;
  const bytes = Buffer.byteLength(text);
  if (bytes > DOCUMENT_LIMITS.bytes)
    throw notCompiled(unit.key, `the document would have ${bytes} bytes, and ${DOCUMENT_LIMITS.bytes} is the most`);
  await writeDocument(root, { name: DEEP_DIVE, text });
  return { text, run: opened.call.journal.state().runNumber, gate: unit.key };
}

/** The unit whose output is compiled. @throws GatelineError `GATE_UNKNOWN` */
function synthesisOf(graph: UnitGraph, options: OptionValues): Unit {
  return unitNamed(graph, textOption(options, 'gate') ?? SYNTHESIS);
}

async function outputOf({ call }: OpenedRun, { key }: Unit): Promise<string> {
  const shown = shownOf(call, call.journal.state().units.get(key)!);
  const digest = contentOf(shown, 'exports');
  if (digest === undefined || !shown.unit.done) throw notCompiled(key, whyAbsent(shown, 'exports'));
  return textOfPart(call, key, 'exports', digest);
}

function notCompiled(gate: string, why: string): GatelineError {
  return new GatelineError('DOCUMENT_NOT_COMPILED', `gate ${gate} is not what the document can be made of: ${why}`);
}

/** The agents whose work the gate builds on. */
function explorersOf({ call, graph }: OpenedRun, unit: Unit): { readonly spawned: number; readonly completed: number } {
  const above = ancestorsOf(graph, unit.key);
  const { units } = call.journal.state();
  const spawned = above.filter((key) => units.get(key)?.status !== 'not-applicable');
  return { spawned: spawned.length, completed: spawned.filter((key) => units.get(key)?.done).length };
}

/** The gates that look at the code base: those that begin what the document is made of. */
export function explorersFor(graph: UnitGraph, options: OptionValues): string[] {
  const unit = synthesisOf(graph, options);
  const above = ancestorsOf(graph, unit.key).map((key) => graph.get(key)!);
  const first = above.filter(({ needs }) => needs.length === 0);
  return [...new Set((first.length === 0 ? [unit] : first).map(({ gate }) => gate.id))];
}

/** @throws GatelineError `OPTION_VALUE` */
function aboutItself(
  options: OptionValues,
  before: DeepDiveHeader | undefined,
): { readonly focus: string | null; readonly staleAfter: string; readonly maxAge: string | null } {
  const focus = textOption(options, 'focus');
  const staleAfter = textOption(options, 'stale-after') ?? before?.stale_after ?? DEFAULT_STALE_AFTER;
  const maxAge = durationOption(options, 'max-age') ?? before?.max_age ?? null;
  const problem = focus === undefined ? undefined : pathProblem(normalPath(focus));
  if (problem !== undefined) throw new GatelineError('OPTION_VALUE', `--focus ${focus}: ${problem.message}`);
  if (!isShare(staleAfter)) throw new GatelineError('OPTION_VALUE', `--stale-after ${staleAfter}: expected 0% to 100%`);
  return { focus: focus === undefined ? (before?.focus_path ?? null) : normalPath(focus), staleAfter, maxAge };
}

/**
 * Adds to the progress document what completed runs were to achieve, and what agents of the newest run noted.
 * @param asked the run whose learnings are added; default: the newest
 */
export async function compileProgress(invocation: CommandInvocation, asked: string | undefined): Promise<Added> {
  const { call, loaded } = await openRun(invocation, await loadFor(invocation), {
    asked,
    where: 'compile',
    readOnly: true,
  });
  const completed = runsOf(historyIn(loaded), { pipeline: loaded.pipeline.id, status: ['completed'] });
  const tasks = [...completed].toReversed().flatMap(({ subject, task }) => {
    return task === undefined ? [] : [{ category: COMPLETED, text: `${subject}: ${task}`, isDone: true as const }];
  });
  return addEntries(loaded.root, PROGRESS, [...tasks, ...(await newLearnings(call, loaded.root))]);
}
