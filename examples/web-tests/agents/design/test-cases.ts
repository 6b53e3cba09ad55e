import type { Assertion, DataCase, TestCase, TestStep } from '../protocol/outputs.ts';
import type { FieldRule } from '../story/field-rule.ts';
import type { Story } from '../story/story.ts';
import { formatTarget, targetOf } from '../story/target.ts';
import { longDate } from './dates.ts';

type Designed = Omit<TestCase, 'testId'>;

/** A test case for each row of data, and one for closing the dialog. Ids `TC_001`, … */
export function designTestCases(story: Story, rows: readonly DataCase[]): TestCase[] {
  const designed = rows.map((row) => designFor(story, row));
  const valid = rows.find((row) => row.expect.outcome === 'accepted');
  if (valid) designed.push(designClosing(story, valid));
  return designed.map((test, at) => ({ testId: `TC_${String(at + 1).padStart(3, '0')}`, ...test }));
}

function designFor(story: Story, row: DataCase): Designed {
  const { expect } = row;
  const { outcome } = expect;
  const field = expect.outcome === 'accepted' ? undefined : story.fields.find(({ key }) => key === expect.field);
  const unpickable = outcome === 'not-offered' ? field : undefined;
  const steps = entrySteps(story, row, unpickable);
  return {
    description: `${outcome === 'accepted' ? 'Taken' : 'Refused'}: ${row.about}`,
    priority: row.kind === 'valid' || row.kind === 'invalid' ? 'high' : row.kind === 'boundary' ? 'medium' : 'low',
    testType: row.kind === 'valid' ? 'positive' : row.kind === 'invalid' ? 'negative' : row.kind,
    dataCase: row.id,
    testSteps: numbered(unpickable ? steps : [...steps, press(story.submit)]),
    expectedResult: {
      status: outcome === 'accepted' ? 'pass' : 'fail',
      assertions: field ? refusal(story, row, field) : confirmation(story, row),
    },
  };
}

function designClosing(story: Story, row: DataCase): Designed {
  const steps = [...entrySteps(story, row, undefined), press(story.submit), press(story.close)];
  return {
    description: `"${story.close}" closes the dialog and empties the form`,
    priority: 'medium',
    testType: 'positive',
    dataCase: row.id,
    testSteps: numbered(steps),
    expectedResult: {
      status: 'pass',
      assertions: [
        noDialog(story),
        ...story.fields.map((field): Assertion => ({ type: 'empty', target: formatTarget(targetOf(field)) })),
      ],
    },
  };
}

const VERBS = {
  text: 'Enter',
  email: 'Enter',
  digits: 'Enter',
  choice: 'Choose',
  date: 'Choose',
  tick: 'Tick',
} as const;

type Step = Omit<TestStep, 'stepNumber'>;

/** One step a value; a date that the calendar should not offer is left to the assertion. */
function entrySteps(story: Story, row: DataCase, except: FieldRule | undefined): Step[] {
  return story.fields.flatMap((field) => {
    const data = row.values[field.key];
    if (data === undefined || field === except) return [];
    return [{ action: `${VERBS[field.kind]} ${field.label}`, target: formatTarget(targetOf(field)), data }];
  });
}

function press(label: string): Step {
  return { action: `Press ${label}`, target: formatTarget({ kind: 'button', label, group: null }) };
}

function numbered(steps: readonly Step[]): TestStep[] {
  return steps.map((step, at) => ({ stepNumber: at + 1, ...step }));
}

function dialogTarget(story: Story): string {
  return formatTarget({ kind: 'dialog', label: story.dialog, group: null });
}

function noDialog(story: Story): Assertion {
  return { type: 'no-dialog', target: dialogTarget(story) };
}

function confirmation(story: Story, row: DataCase): Assertion[] {
  const rows = story.fields.flatMap((field): Assertion[] => {
    const value = row.values[field.key];
    if (value === undefined) return [];
    return [{ type: 'dialog-row', target: formatTarget(targetOf(field)), expected: shown(field, value, story.trims) }];
  });
  return [{ type: 'dialog', target: dialogTarget(story) }, ...rows];
}

function refusal(story: Story, row: DataCase, field: FieldRule): Assertion[] {
  const target = formatTarget(targetOf(field));
  if (row.expect.outcome === 'not-offered') return [{ type: 'not-offered', target, expected: row.values[field.key]! }];
  const message = row.expect.outcome === 'empty' ? story.emptyMessage : story.wrongMessage;
  return [{ type: 'message', target, expected: message.replace('<field>', field.label) }, noDialog(story)];
}

function shown(field: FieldRule, value: string, trims: boolean): string {
  if (field.kind === 'date') return longDate(value);
  return trims ? value.trim() : value;
}
