import { differenceText } from '../terminal/plan-table.ts';
import { iconOf, KIND_MEANING, shortDigest } from '../wording.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { actorOf } from '../../run/records/decisions.ts';
import type { PlanChoice, PlannedUnit } from '../../run/plan/plan.ts';
import type { EndedRecord, GatelineRecord } from '../../run/records/record.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import type { JsonValue } from '../../json/json.ts';
import { attemptRow } from './sections/amount-sections.ts';
import { bytesText } from '../text.ts';
import { amountText, costText, tokensText } from '../amounts.ts';
import { factRows, gateFacts } from '../markdown/gate-facts.ts';
import { attemptsOf, reusedIn, spentOn } from '../../history/attempts.ts';
import { artifactsOf } from './sections/gates-table.ts';
import { findingLines, issueLines, type IssueContext } from './issue-lines.ts';
import { fileItem, kindText, openAfter } from '../markdown/gate-parts.ts';
import { code, codeCell, linkTo, row, said, saidInCell, tableHead } from '../markdown/markdown.ts';
import { decideSection } from './sections/decide-section.ts';
import { nextStepOf } from './next-step.ts';
import type { ReportLinks } from './report-input.ts';
import { block, fitSummary, SUMMARY_LIMIT, type Section } from '../markdown/section.ts';
import { originText, reasonText } from './status-words.ts';

/** Maximum number of an output's findings listed besides the issues of its verdict. */
const FINDINGS = 50;

/** The input for the summary of one gate. */
export interface GateSummaryInput {
  readonly unit: Unit;
  readonly graph: UnitGraph;
  readonly state: RunState;
  /** Whether a file numbers the gates; if each job describes its own gate, a number has no meaning. Default true. */
  readonly numbered?: boolean;
  /** All records. */
  readonly records: readonly GatelineRecord[];
  /** The plan and its reason; absent if nothing was planned. */
  readonly planned?: PlannedUnit;
  /** Its output, if it was read. */
  readonly value?: JsonValue;
  /** Digests of its inputs, by unit; default: those of the attempt that determines the state. */
  readonly given?: EndedRecord['needs'];
  readonly links?: ReportLinks;
  /** The absolute path of the repository's folder, for agents that use absolute paths. */
  readonly workspace?: string;
}

/**
 * The job summary of one gate (or leg), GitHub Flavored Markdown: status and reason, why the agent ran or the source of
 * a reused output, score and threshold, issues with pointers, files and lines, the gate's inputs and their differences
 * from the last time, files handed on, attempts, time and cost, and what to do next. At most `maxBytes` UTF-8 bytes;
 * ends with a line break. Text from agents is displayed only: markup and commands in it are escaped.
 */
export function gateSummary(input: GateSummaryInput, maxBytes: number = SUMMARY_LIMIT): string {
  const own = input.state.units.get(input.unit.key);
  const number = input.numbered === false ? '' : `${input.unit.gate.number} `;
  const title = `Gate ${number}${code(input.unit.key, 130)}`;
  if (own === undefined) return `## ${title}\n\nThis run has no such gate.\n`;
  const ended = resultOf(own);
  // A job reads no records of later gates, so their status is not shown.
  const next = openAfter(input.unit, input.graph, input.state).map(({ key }) => key);
  const sections: Section[] = [
    block('the headline', 0, headline(input, own, title)),
    factsSection(input, own),
    ...issuesOf(input, ended),
    block('the next step', 1, nextStepOf(own, next), '### Next step'),
    decideSection([own], input.links?.decide),
    noticesSection(input.planned),
    givenSection(input, own),
    differencesSection(input.planned),
    filesSection('files handed on', ended?.files ?? []),
    filesSection('files changed, but not handed on', ended?.touched ?? []),
    attemptsSection(input, own),
  ];
  return fitSummary(sections, maxBytes, input.links?.run);
}

function headline(input: GateSummaryInput, own: UnitState, title: string): string {
  const verdict = resultOf(own)?.verdict;
  const meaning =
    verdict?.status === 'failed' && own.decided === undefined ? KIND_MEANING[verdict.kind] : sentence(whyText(own));
  const why = decisionText(input.planned, own);
  return `## ${iconOf(own.status)} ${title}: ${own.status}${kindText(own)}\n\n${meaning}${why === '' ? '' : `\n\n${why}`}`;
}

/** Begins with fixed words: the reason may be a condition, which is quoted unchanged. */
function whyText(own: UnitState): string {
  const reason = reasonText(own);
  return own.status === 'not-applicable' ? `its condition is false: ${reason}` : reason;
}

const DECIDED: Readonly<Record<PlanChoice, string>> = {
  keep: 'Kept',
  reuse: 'Reused',
  adopt: 'Adopted',
  run: 'The agent ran',
  'send-back': 'Sent back',
  wait: 'The agent runs by itself',
  skip: 'Skipped',
  'not-applicable': 'Not applicable',
  depends: 'Not known yet',
  blocked: 'Blocked',
};

function decisionText(planned: PlannedUnit | undefined, own: UnitState): string {
  const by = own.decided;
  const decided = by === undefined ? '' : `**${by.decision}** by ${said(actorOf(by), 120)}: ${sentence(by.reason)}`;
  if (planned === undefined) return decided;
  const from = planned.from === undefined ? '' : ` Its output is from ${originText(planned.from)}.`;
  return `**${DECIDED[planned.choice]}:** ${sentence(planned.reason)}${from}${decided === '' ? '' : `\n\n${decided}`}`;
}

function factsSection(input: GateSummaryInput, own: UnitState): Section {
  const { unit, state, records, links } = input;
  const spent = spentOn(attemptsOf(records, state).filter(({ key }) => key === unit.key));
  const saved = reusedIn(state, records).find((one) => one.unit.key === unit.key)?.saved;
  const artifacts = artifactsOf(links, unit.key)
    .slice(0, 20)
    .map(
      ({ name, url, bytes }) =>
        linkTo(saidInCell(name, 100), url) + (bytes === undefined ? '' : ` (${bytesText(bytes)})`),
    );
  const rows = factRows([
    ...gateFacts(unit, own, state),
    ['Model', saidInCell(resultOf(own)?.metrics?.model ?? '', 200)],
    ['Cost', costText(spent.costUsd)],
    ['Tokens', tokensText(spent.tokens)],
    ['Saved', saved === undefined ? '' : amountText(saved)],
    ['Artifacts', artifacts.join(', ')],
  ]);
  const pieces = rows.map((text) => ({ text }));
  return { title: 'the details', weight: 1, heading: '', head: tableHead(['', '']), pieces };
}

function issuesOf(input: GateSummaryInput, ended: EndedRecord | undefined): Section[] {
  const context: IssueContext = {
    value: input.value,
    files: input.links?.files,
    ...(input.workspace !== undefined && { workspace: input.workspace }),
  };
  const issues = issueLines(ended?.verdict.issues ?? [], context);
  const findings = findingLines(context, FINDINGS);
  return [
    {
      title: 'the issues',
      weight: 2,
      heading: `### Issues (${issues.length})`,
      pieces: issues.map((text) => ({ text })),
    },
    {
      title: 'findings in files',
      weight: 3,
      heading: '### Findings in files',
      pieces: findings.map((text) => ({ text })),
    },
  ];
}

function noticesSection(planned: PlannedUnit | undefined): Section {
  const pieces = (planned?.notices ?? []).map((notice) => ({ text: `- ${said(notice, 500)}` }));
  return { title: 'notices', weight: 3, heading: '### Notes', pieces };
}

function givenSection(input: GateSummaryInput, own: UnitState): Section {
  const { unit, state } = input;
  const given = input.given ?? (resultOf(own) ?? own.started)?.needs ?? {};
  const keys = [...new Set([...unit.needs, ...Object.keys(given)])];
  const pieces = keys.map((key) => {
    const need = state.units.get(key);
    const digest = Object.hasOwn(given, key) ? given[key] : undefined;
    const what = digest === undefined ? 'not given' : digest === null ? 'no output' : codeCell(shortDigest(digest));
    const status = need === undefined ? '' : `${iconOf(need.status)} ${need.status}${need.reused ? ', reused' : ''}`;
    return { text: row([codeCell(key, 130), status, what]), passed: need?.done === true };
  });
  return {
    title: 'its inputs',
    weight: 6,
    heading: '',
    fold: `Needs (${keys.length})`,
    head: tableHead(['Gate', 'Status', 'Handed on to later gates']),
    pieces,
  };
}

function differencesSection(planned: PlannedUnit | undefined): Section {
  const found = planned?.differences ?? [];
  const pieces = found.map((difference) => ({ text: `- ${said(differenceText(difference), 400)}` }));
  return {
    title: 'changes since the previous request',
    weight: 5,
    heading: '',
    fold: `Changed since the previous request (${found.length})`,
    pieces,
  };
}

function filesSection(title: string, files: EndedRecord['files']): Section {
  const pieces = files.map((file) => ({ text: fileItem(file) }));
  return {
    title,
    weight: 7,
    heading: '',
    fold: `${title.charAt(0).toUpperCase()}${title.slice(1)} (${files.length})`,
    pieces,
  };
}

function attemptsSection({ unit, records, state }: GateSummaryInput, own: UnitState): Section {
  const attempts = attemptsOf(records, state).filter(({ key }) => key === unit.key);
  const pieces = attempts.length < 2 ? [] : attempts.map((attempt) => ({ text: attemptRow(attempt) }));
  return {
    title: 'the attempts',
    weight: 5,
    heading: '',
    fold: `Attempts in this run (${Math.max(own.attempts, attempts.length)})`,
    head: tableHead(['Gate', 'Run attempt:', 'Attempt:', 'Result', 'Time:']),
    pieces,
  };
}

function sentence(text: string): string {
  const safe = said(text);
  return safe === '' || /[.!?…]$/.test(safe) ? safe : `${safe.charAt(0).toUpperCase()}${safe.slice(1)}.`;
}
