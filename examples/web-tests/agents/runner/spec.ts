import { plainLabel, sameLabel } from '../page/same-label.ts';
import { StepError, type Screen } from './screen.ts';

/** Where a test has come to, so that a failure can be told by its step. */
export interface Steps {
  /** Does one step. `label` is what people read on the thing that it is about. */
  step(action: string, label: string, work: () => Promise<void>): Promise<void>;
}

/** One generated test. `value` gives what the row of test data says of a field. */
export interface SpecTest<Page> {
  readonly testId: string;
  readonly description: string;
  /** The row of the data file. */
  readonly dataCase: string;
  run(page: Page, value: (field: string) => string, steps: Steps): Promise<void>;
}

/** A generated spec: what its module exports by default. */
export interface Spec<Page> {
  /** Relative to the workspace. */
  readonly dataFile: string;
  /** `sha256:<hex>` of the data that the tests were made for. */
  readonly dataDigest: string;
  open(screen: Screen): Page;
  readonly tests: readonly SpecTest<Page>[];
}

/** What a dialog lists: headings and values. */
export type Rows = readonly (readonly [string, string])[];

/** Fails unless `holds`. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new StepError(otherwise);
}

/** Fails unless the rows have one of this label with exactly this value. */
export function expectRow(rows: Rows, label: string, value: string): void {
  const row = rows.find(([heading]) => sameLabel(heading, label));
  if (!row)
    throw new StepError(`no row "${label}" among ${rows.map(([heading]) => `"${heading}"`).join(', ') || 'no rows'}`);
  if (row[1] !== value) throw new StepError(`"${label}" is shown as "${row[1]}", not "${value}"`);
}

/** Fails unless this message is shown, and no other. */
export function expectMessage(messages: readonly string[], message: string): void {
  if (messages.length !== 1 || plainLabel(messages[0]!) !== plainLabel(message)) {
    throw new StepError(
      `the form says ${messages.map((text) => `"${text}"`).join(', ') || 'nothing'}, not "${message}"`,
    );
  }
}
