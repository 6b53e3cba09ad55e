import { subjectSlug } from '../../run/records/subject.ts';

/** Legs that can be part of a file's name unchanged. */
const SAFE_LEG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/;

/**
 * `{subject}-gate{N}-output.json`, the state guide's name of a gate's output; for a leg of a matrix gate, the leg comes
 * before `output`. `subjectSlug` makes the subject safe; the guide's `{domain}-{feature}` is its own slug.
 *
 * @param number the gate's `number`
 * @param leg '' without a matrix
 */
export function gateOutputFileName(subject: string, number: number, leg: string): string {
  return `${gateStem(subject, number, leg)}-output.json`;
}

/** `{subject}-gate{N}-checkpoint.md`: the Markdown checkpoint next to the output. */
export function gateCheckpointFileName(subject: string, number: number, leg: string): string {
  return `${gateStem(subject, number, leg)}-checkpoint.md`;
}

/** `{subject}-pipeline.json`, the state guide's name of the pipeline's state. */
export function pipelineFileName(subject: string): string {
  return `${subjectSlug(subject)}-pipeline.json`;
}

function gateStem(subject: string, number: number, leg: string): string {
  const gate = `${subjectSlug(subject)}-gate${number}`;
  if (leg === '') return gate;
  return `${gate}-${legInFileName(leg)}`;
}

/** A leg as the names of its files have it. */
export function legInFileName(leg: string): string {
  return SAFE_LEG.test(leg) ? leg : subjectSlug(leg);
}
