import type { Verdict } from '../../verdict/verdict.ts';
import { codeFence } from '../../untrusted/escape.ts';
import { code, said } from '../markdown/markdown.ts';
import { block, fitSummary } from '../markdown/section.ts';

/** An attempt whose end could not be uploaded. */
export interface Unsaved {
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
export function unsavedSummary({ unit, title, verdict, why, shown, isCut }: Unsaved, maxBytes: number): string {
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
