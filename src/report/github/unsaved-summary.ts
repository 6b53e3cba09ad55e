import type { Verdict } from '../../verdict/verdict.ts';
import { codeFence } from '../../untrusted/escape.ts';
import { code, said } from './markdown.ts';
import { block, fitSummary } from './section.ts';

/** An attempt whose end could not be uploaded. */
export interface Unsaved {
  readonly unit: string;
  /** Our own words. */
  readonly title: string;
  readonly verdict: Verdict;
  readonly why: string;
  /** The output, or its beginning; redacted. Empty: there is none. */
  readonly shown: string;
  readonly isCut: boolean;
}

/** What the summary of a job says of an attempt whose end is on no other machine. At most `maxBytes` of UTF-8. */
export function unsavedSummary({ unit, title, verdict, why, shown, isCut }: Unsaved, maxBytes: number): string {
  const { kind, advice } = verdict;
  const sections = [
    block('the headline', 0, `## Gate ${code(unit, 130)}: ${title}`),
    block('what it came to', 0, `It ended as ${code(kind)}. ${said(advice)}`.trim()),
    block('why', 0, said(why)),
    block(
      'what to do next',
      1,
      '**Re-run failed jobs** once GitHub is well again (https://www.githubstatus.com): the agent starts anew then. Raise `outage-minutes` to wait for longer.',
      '### What next',
    ),
    block(
      'the output',
      2,
      shown === '' ? '' : codeFence(shown, 'json'),
      isCut ? '### The beginning of its output' : '### Its output',
    ),
  ];
  return fitSummary(sections, maxBytes);
}
