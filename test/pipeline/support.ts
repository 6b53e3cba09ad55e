import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import { problemText } from '../../src/pipeline/problem.ts';

/** The pipeline of a text without errors; fails with its problems otherwise. */
export function pipelineOf(text: string): Pipeline {
  const parsed = parsePipeline(text, 'gateline.yml');
  if (!parsed.ok) throw new Error(parsed.problems.map(problemText).join('\n'));
  return parsed.pipeline;
}

/** The gate `a` with these keys, beside an empty gate `b`. */
export function gateOf(keys: string): Gate {
  return pipelineOf(`gates:\n  b: {}\n  a: {${keys}}`).gates[1]!;
}

/** Every problem and warning of a text, without the name of the file. */
export function problemsOf(text: string): string[] {
  const parsed = parsePipeline(text, 'f');
  return (parsed.ok ? parsed.warnings : parsed.problems).map((problem) => problemText(problem).replace(/^f:/, ''));
}

/** The problems of a gate `a` with these keys, beside an empty gate `b`; without places and `gates.a.`. */
export function gateProblems(keys: string): string[] {
  return problemsOf(`gates:\n  b: {}\n  a: {${keys}}`).map((line) =>
    line.replace(/^\d+:\d+ /, '').replace('gates.a.', ''),
  );
}
