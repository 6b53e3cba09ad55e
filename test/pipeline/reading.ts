import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';

/** The pipeline of a text that must be sound; fails with its problems otherwise. */
export function pipelineOf(text: string): Pipeline {
  const result = parsePipeline(text, 'gateline.yml');
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.pipeline;
}

/** Its only gate. */
export function gateOf(text: string): Gate {
  return pipelineOf(text).gates[0]!;
}

/** Everything said about a text: problems, or the warnings of a sound one; without the file's name. */
export function said(text: string): string[] {
  const result = parsePipeline(text, 'f');
  return (result.ok ? result.warnings : result.problems).map((problem) => formatProblem(problem).replace(/^f:/, ''));
}

/** {@link said}, only `line:column CODE`. */
export function codes(text: string): string[] {
  return said(text).map((line) => /^\S+ (?:warning )?\S+/.exec(line)![0]);
}

/** What is said about a gate `a` with these keys, beside an empty gate `b`; without places. */
export function gateSaid(keys: string): string[] {
  return said(`gates: {b: {}, a: {${keys}}}`).map((line) => line.replace(/^1:\d+ /, ''));
}
