import { loadPage } from '../page/load-page.ts';
import type { DomElement } from '../page/dom.ts';
import { rounded, validation, type ElementMapping, type MapOutput } from '../protocol/outputs.ts';
import { logicalNameOf } from '../story/names.ts';
import { parseTarget, type Target } from '../story/target.ts';
import { matchTarget } from './candidates.ts';
import { mapDatePicker } from './date-picker.ts';
import { rankLocators } from './locators.ts';
import { loadTwins, type Twins } from './twins.ts';

/** Below this, a mapping is reported; the seed's own example does so. */
const SURE = 0.8;

/** Maps the elements that targets name, on a page given as HTML. */
export function mapPage(html: string, targets: readonly string[]): MapOutput {
  const twins = loadTwins(html);
  const found: Found = {
    elementMappings: [],
    specialComponents: [],
    unmapped: [],
    issues: twins.problems.map((problem) => `a script of the page failed: ${problem}`),
    scores: [],
  };
  for (const target of targets) mapTarget(target, twins, found);
  twins.close();
  const { elementMappings, specialComponents, unmapped, issues, scores } = found;
  const score = scores.reduce((sum, one) => sum + one, 0) / Math.max(1, scores.length);
  return {
    elementMappings,
    isSPA: isSinglePageApp(html),
    specialComponents,
    unmapped,
    validationResult: validation(score, issues),
  };
}

interface Found {
  readonly elementMappings: ElementMapping[];
  readonly specialComponents: MapOutput['specialComponents'][number][];
  readonly unmapped: { target: string; reason: string }[];
  readonly issues: string[];
  /** 0-100 for each target: 100 when its best locator is sure enough. */
  readonly scores: number[];
}

function mapTarget(text: string, twins: Twins, found: Found): void {
  const target = parseTarget(text);
  const match = matchTarget(twins.first, target);
  if ('reason' in match) return giveUp(text, match.reason, found);
  const [primary, ...fallbacks] = rankLocators(match.element, match.certainty, twins);
  if (!primary) return giveUp(text, 'no locator finds it and nothing else', found);
  const logicalName = logicalNameOf(target);
  found.elementMappings.push({
    logicalName,
    target: text,
    kind: kindOf(match.element, target),
    locators: { primary, fallbacks },
  });
  found.scores.push(100 * Math.min(1, primary.confidenceScore / SURE));
  if (primary.confidenceScore < SURE) {
    found.issues.push(`${text}: found by ${match.by} only, confidence ${Math.round(primary.confidenceScore * 100)}%`);
  }
  if (target.kind === 'dialog') found.specialComponents.push({ type: 'modal', element: logicalName });
  if (target.kind !== 'date') return;
  const picker = mapDatePicker(match.element, logicalName, text, twins);
  if ('reason' in picker) {
    found.scores.push(0);
    found.issues.push(`${text}: ${picker.reason}`);
    return;
  }
  found.elementMappings.push(...picker.mappings);
  found.specialComponents.push(picker.component);
}

function giveUp(target: string, reason: string, { unmapped, issues, scores }: Found): void {
  unmapped.push({ target, reason });
  issues.push(`${target}: ${reason}`);
  scores.push(0);
}

function kindOf(element: DomElement, { kind }: Target): ElementMapping['kind'] {
  if (kind === 'choice') return element.localName === 'select' ? 'select' : 'radio-group';
  return ({ text: 'text', date: 'date-picker', tick: 'checkbox', button: 'button', dialog: 'dialog' } as const)[kind];
}

/** The form is not in what the server sends: scripts build it. */
function isSinglePageApp(html: string): boolean {
  const controls = 'input, select, textarea';
  const count = (scripts: boolean): number => {
    const page = loadPage(html, { scripts });
    const found = [...page.document.querySelectorAll(controls)].length;
    page.close();
    return found;
  };
  return count(false) === 0 && count(true) > 0;
}

/** Confidence of all primary locators together, for the log. */
export function meanConfidence(mappings: readonly ElementMapping[]): number {
  return rounded(
    mappings.reduce((sum, { locators }) => sum + locators.primary.confidenceScore, 0) / Math.max(1, mappings.length),
  );
}
