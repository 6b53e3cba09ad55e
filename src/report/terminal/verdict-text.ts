import { Buffer } from 'node:buffer';
import { truncateBytes } from '../../untrusted/escape.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { entityKey, type NamedEntity } from '../../run/entity/entity-state.ts';
import type { EndedRecord, Position, StartedRecord } from '../../run/records/record.ts';
import { unitKey, type ContractSource } from '../../pipeline/pipeline.ts';
import { count, oneLine, plain, type Paint, type Tone } from '../text.ts';
import { attemptText, runText, sourceText } from '../../run/records/attempt-text.ts';
import { endedAfter } from '../../history/attempts.ts';
import { durationText, KIND_MEANING, ruleToName, scoreFact } from '../wording.ts';

/** Maximum size of the result of {@link verdictText}, in UTF-8 bytes without colours. */
export const VERDICT_TEXT_LIMIT = 256 * 1_024;

/** Entities of each list of {@link verdictText}. */
const MAX_ENTITIES = 20;

const TONES: Readonly<Record<EndedRecord['verdict']['status'], Tone>> = {
  passed: 'good',
  partial: 'warning',
  failed: 'bad',
  'not-applicable': 'quiet',
};

/** Options for the text of a verdict. */
export interface VerdictTextOptions {
  readonly paint?: Paint;
  /** The attempts of the verdict's gate, in the order in which they are numbered. */
  readonly numbered?: readonly Position[];
  /** The gate's current contract; without it the score is shown without a threshold. */
  readonly contract?: Pick<ContractSource, 'score' | 'threshold'> | undefined;
  /** What the attempt's claim says of entities. */
  readonly uses?: StartedRecord['entities'];
}

/**
 * Everything about one verdict, for `gateline show` and for logs: kind and meaning, score, each issue with its pointer
 * and rule, how the agent ended, what to do. Ends with a line break. Safe for terminals.
 */
export function verdictText(ended: EndedRecord, options: VerdictTextOptions = {}): string {
  const paint = options.paint ?? plain;
  const { verdict } = ended;
  const applies = verdict.status !== 'not-applicable';
  const head = `${oneLine(unitKey(ended.gate, ended.leg))}${applies ? `, ${placeOf(ended, options.numbered ?? [])}` : ''}: `;
  const lines = [
    head +
      paint(
        TONES[verdict.status],
        verdict.status === verdict.kind ? verdict.status : `${verdict.status} (${verdict.kind})`,
      ),
  ];
  lines.push(`  ${KIND_MEANING[verdict.kind]}`);
  const scored = scoreFact(verdict, options.contract);
  const threshold = scored?.threshold === undefined ? '' : ` (threshold ${scored.threshold})`;
  if (scored !== undefined) lines.push(`  score: ${scored.score}${threshold}`);
  if (verdict.result !== undefined) lines.push(`  result: ${oneLine(verdict.result)}`);
  if (verdict.message !== undefined) lines.push(`  message: ${oneLine(verdict.message)}`);
  if (applies) lines.push(...entityLines(options.uses, ended.effects), ...endingOf(ended));
  if (verdict.issues.length > 0)
    lines.push(`  ${count(verdict.issues.length, 'issue')}:`, ...boundedIssues(verdict.issues));
  if (verdict.advice !== '') lines.push(`  ${applies ? 'what to do' : 'why'}: ${oneLine(verdict.advice)}`);
  return `${lines.join('\n')}\n`;
}

/** What an attempt did with entities. */
function entityLines(uses: StartedRecord['entities'], effects: EndedRecord['effects']): string[] {
  const lists: readonly (readonly [string, readonly NamedEntity[] | undefined])[] = [
    ['required', uses?.requires],
    ['invalidated', uses?.invalidates],
    ['created', effects?.creates],
  ];
  return lists.flatMap(([word, named = []]) => {
    const shown = named.slice(0, MAX_ENTITIES).map((one) => oneLine(entityKey(one)));
    const more = named.length > MAX_ENTITIES ? `, and ${named.length - MAX_ENTITIES} more` : '';
    return named.length === 0 ? [] : [`  ${word}: ${shown.join(', ')}${more}`];
  });
}

/** A reused output belongs to no attempt of this run. */
function placeOf(ended: EndedRecord, numbered: readonly Position[]): string {
  return ended.how === 'reused' ? runText(ended, ended) : attemptText(ended, numbered);
}

function endingOf(ended: EndedRecord): string[] {
  const lines: string[] = [];
  if (ended.exitCode !== undefined) lines.push(`  exit code: ${ended.exitCode}`);
  if (ended.signal !== undefined) lines.push(`  ended by signal: ${oneLine(ended.signal)}`);
  const took = durationText(endedAfter(ended));
  if (took !== '') lines.push(`  took: ${took}`);
  if (ended.source !== undefined) lines.push(`  output reused from ${oneLine(sourceText(ended.source, ended))}`);
  return lines;
}

function boundedIssues(issues: readonly Issue[]): string[] {
  const lines: string[] = [];
  let left = VERDICT_TEXT_LIMIT - 32 * 1_024;
  for (const [index, issue] of issues.entries()) {
    const line = `    ${index + 1}. ${issueLine(issue)}`;
    left -= Buffer.byteLength(line);
    if (left < 0) return [...lines, `    … and ${issues.length - index} more: \`gateline show --json\` has them all`];
    lines.push(line);
  }
  return lines;
}

function issueLine(issue: Issue): string {
  const { severity, message, pointer } = issue;
  const rule = ruleToName(issue);
  const at =
    pointer === undefined ? '' : ` at ${pointer === '' ? 'the whole output' : oneLine(truncateBytes(pointer, 512))}`;
  const by = rule === undefined ? '' : ` [${oneLine(truncateBytes(rule, 512))}]`;
  return `${severity}${at}: ${oneLine(truncateBytes(message, 2_048))}${by}`;
}
