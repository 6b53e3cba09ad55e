/** What each gate hands on, as schemas/gate0 … gate5 hold it. */

/** A gate's opinion of its own work; `score` is 0-100. */
export interface ValidationResult {
  readonly score: number;
  readonly issues: readonly string[];
  readonly passed: boolean;
}

export type CaseKind = 'valid' | 'invalid' | 'boundary' | 'edge';

/** Gate 0. */
export interface DataOutput {
  readonly dataFile: string;
  readonly dataDigest: string;
  readonly totalCases: number;
  readonly breakdown: Readonly<Record<CaseKind, number>>;
  readonly seed: number;
  readonly validationResult: ValidationResult;
}

/** One row of gate 0's data file. */
export interface DataCase {
  readonly id: string;
  readonly kind: CaseKind;
  readonly about: string;
  /** What to enter, by field key; a field that is left alone is left out. */
  readonly values: Readonly<Record<string, string>>;
  /** `not-offered`: the calendar does not let the date be picked. */
  readonly expect:
    | { readonly outcome: 'accepted' }
    | { readonly outcome: 'empty' | 'wrong' | 'not-offered'; readonly field: string };
}

/** Gate 0's data file. */
export interface DataFile {
  readonly subject: string;
  readonly seed: number;
  readonly cases: readonly DataCase[];
}

export interface TestStep {
  readonly stepNumber: number;
  readonly action: string;
  /** See `story/target.ts`. */
  readonly target: string;
  readonly data?: string;
}

export interface Assertion {
  readonly type: 'dialog' | 'no-dialog' | 'dialog-row' | 'message' | 'empty' | 'not-offered';
  readonly target: string;
  readonly expected?: string;
}

export interface TestCase {
  readonly testId: string;
  readonly description: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly testType: 'positive' | 'negative' | 'boundary' | 'edge';
  /** Row of the data file that `data` comes from. */
  readonly dataCase: string;
  readonly testSteps: readonly TestStep[];
  /** `status`: whether the form takes the entries (`pass`) or refuses them (`fail`). */
  readonly expectedResult: { readonly status: 'pass' | 'fail'; readonly assertions: readonly Assertion[] };
}

/** Gate 1. */
export interface DesignOutput {
  readonly testCases: readonly TestCase[];
  readonly dataStrategy: {
    readonly type: 'data-driven';
    readonly dataFile: string;
    readonly dataDigest: string;
    readonly totalCases: number;
  };
  readonly validationResult: ValidationResult;
}

export type LocatorType = 'id' | 'label' | 'role' | 'placeholder' | 'css' | 'xpath';

/** A way to find one element. */
export interface Locator {
  readonly type: LocatorType;
  /** The id, label, placeholder, selector or expression; for `role`, the role. */
  readonly value: string;
  /** Accessible name, for `role`. */
  readonly name?: string;
  /** Only inside the group (fieldset) of this name. */
  readonly group?: string;
}

export interface RankedLocator extends Locator {
  /** 0-1. */
  readonly confidenceScore: number;
}

export interface ElementMapping {
  readonly logicalName: string;
  /** Gate 1's target, or the element and part of a special component. */
  readonly target: string;
  readonly kind: 'text' | 'radio-group' | 'select' | 'checkbox' | 'date-picker' | 'button' | 'dialog' | 'status';
  readonly locators: { readonly primary: RankedLocator; readonly fallbacks: readonly RankedLocator[] };
}

export interface DatePicker {
  readonly type: 'date-picker';
  readonly element: string;
  /** Logical names of what opens with it. */
  readonly controls: Readonly<
    Record<'shownMonth' | 'previousYear' | 'previousMonth' | 'nextMonth' | 'nextYear', string>
  >;
  /** Accessible name of the panel that holds them. */
  readonly panel: string;
  /** How a day's button is named. */
  readonly dayName: 'd MMMM yyyy';
}

export interface Modal {
  readonly type: 'modal';
  readonly element: string;
}

/** Gate 2. */
export interface MapOutput {
  readonly elementMappings: readonly ElementMapping[];
  readonly isSPA: boolean;
  readonly specialComponents: readonly (DatePicker | Modal)[];
  readonly unmapped: readonly { readonly target: string; readonly reason: string }[];
  readonly validationResult: ValidationResult;
}

/** Gate 3. */
export interface CodeOutput {
  readonly files: readonly string[];
  /** Path → `sha256:<hex>`: the next gate runs exactly this code. */
  readonly fileDigests: Readonly<Record<string, string>>;
  readonly pageObjects: readonly string[];
  readonly testSpecs: readonly string[];
  readonly testPattern: 'data-driven';
  readonly compilationErrors: number;
  readonly validationResult: ValidationResult;
}

/** A test that failed, and where. */
export interface Failure {
  readonly testId: string;
  readonly step: number;
  readonly action: string;
  /** The label, as the acceptance criteria have it, of what the step was about. */
  readonly label: string;
  readonly message: string;
  readonly runs: readonly number[];
}

/** How often an element's locators found it. */
export interface LocatorUse {
  readonly element: string;
  readonly type: LocatorType;
  readonly found: number;
  readonly missed: number;
}

/** Gate 4. */
export interface ExecuteOutput {
  readonly results: readonly {
    readonly runNumber: number;
    readonly status: 'PASS' | 'FAIL';
    readonly passedTests: number;
    readonly failedTests: number;
  }[];
  readonly finalStatus: { readonly passRate: number; readonly avgExecutionTime: number; readonly failedTests: number };
  readonly failures: readonly Failure[];
  readonly locatorUse: readonly LocatorUse[];
  readonly engine: 'embedded' | 'chromium';
  readonly validationResult: ValidationResult;
}

/** Gate 5. */
export interface LearnOutput {
  readonly knowledgeFile: string;
  readonly entries: number;
  readonly locatorKinds: readonly {
    readonly type: LocatorType;
    readonly elements: number;
    readonly found: number;
    readonly missed: number;
  }[];
  readonly flakyTests: readonly string[];
  readonly specialComponents: readonly string[];
  readonly validationResult: ValidationResult;
}

/** Two decimals, so that floats read well and compare equal. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A {@link ValidationResult}; passed at 80 or above. */
export function validation(score: number, issues: readonly string[]): ValidationResult {
  return { score: rounded(score), issues, passed: score >= 80 };
}
