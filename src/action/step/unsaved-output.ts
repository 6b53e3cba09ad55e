import type { GatelineError } from '../../errors/gateline-error.ts';
import { unitOf, type EndedRecord } from '../../run/records/record.ts';
import { isOutage } from '../../store/github/artifacts/outage-error.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { truncateBytes, codeFence } from '../../untrusted/escape.ts';
import { readValue } from './gate-value.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import { code, said } from '../../report/markdown/markdown.ts';
import { block, fitSummary } from '../../report/markdown/section.ts';

/** Bytes of an output that are shown. */
const SHOWN_BYTES = 64 * 1024;

/**
 * The runner is removed with the job, and the agent's output is on no other machine: so the output, which was redacted
 * before it was stored, is shown in the log and in the summary. The job is red: no later job finds a record.
 */
export async function reportUnsaved(
  { world: { runner }, inputs }: Pick<ActionInvocation, 'world' | 'inputs'>,
  store: Pick<RecordStore, 'get'>,
  ended: EndedRecord,
  error: GatelineError,
): Promise<StepResult> {
  const unit = unitOf(ended);
  const whole = await outputText(store, ended);
  const shown = truncateBytes(whole, SHOWN_BYTES);
  const isCut = shown.length < whole.length;
  if (shown !== '') {
    using _group = runner.group(
      `The output of gate ${unit}, which is stored nowhere else${isCut ? ': its beginning' : ''}`,
    );
    await runner.quote(async (print) => {
      for (const line of shown.split('\n')) print(line);
    });
  }
  const isDown: boolean = isOutage(error);
  const title = isDown ? 'Outage: the result of a gate is not recorded' : 'The result of a gate is not recorded';
  const about = { unit, title, verdict: ended.verdict, why: error.message, shown, isCut };
  if (inputs.summary && !(await runner.appendSummary(unsavedSummary(about, runner.summaryRoom()))))
    runner.annotate('warning', 'The job summary of this step is full: the output is only in the log.');
  const next = isDown
    ? 'See https://www.githubstatus.com. When the outage is over, re-run the failed jobs: the agent then starts again.'
    : error.hint;
  const where = shown === '' ? 'It has no output.' : 'Its output is in the log of this post step, and in the summary.';
  const message = `gate ${unit}: attempt ${ended.n} ended (${ended.verdict.kind}), and its record could not be uploaded. ${where} ${error.message}\n${next}`;
  return { ok: false, title, message };
}

/** Formatted for people if it is not too large; otherwise as stored. */
async function outputText(store: Pick<RecordStore, 'get'>, ended: EndedRecord): Promise<string> {
  const value = await readValue(store, ended);
  if (value !== undefined) return JSON.stringify(value, null, 2);
  const read = ended.value === undefined ? undefined : await store.get(ended.value.digest);
  return read?.state === 'present' ? new TextDecoder().decode(read.value.subarray(0, SHOWN_BYTES + 4)) : '';
}

/** An attempt whose end could not be uploaded. */
interface Unsaved {
  readonly unit: string;
  /** Fixed words. */
  readonly title: string;
  readonly verdict: Verdict;
  readonly why: string;
  /** The output, or its beginning; redacted. Empty: there is none. */
  readonly shown: string;
  readonly isCut: boolean;
}

/** A job's summary of an attempt whose end is on no other machine. At most `maxBytes` of UTF-8. */
function unsavedSummary({ unit, title, verdict, why, shown, isCut }: Unsaved, maxBytes: number): string {
  const { kind, advice } = verdict;
  const sections = [
    block('the headline', 0, `## Gate ${code(unit, 130)}: ${title}`),
    block('the result', 0, `It ended as ${code(kind)}. ${said(advice)}`.trim()),
    block('why', 0, said(why)),
    block(
      'the next step',
      1,
      '**Re-run failed jobs** once GitHub is available again (https://www.githubstatus.com): the agent then starts again. Raise `outage-minutes` to wait longer.',
      '### Next step',
    ),
    block(
      'the output',
      2,
      shown === '' ? '' : codeFence(shown, 'json'),
      isCut ? '### Start of its output' : '### Its output',
    ),
  ];
  return fitSummary(sections, maxBytes);
}
