import type { Assertion, DesignOutput, TestCase, TestStep } from '../protocol/outputs.ts';
import { keyOf } from '../story/field-rule.ts';
import { literal, logicalNameOf, pascal } from '../story/names.ts';
import { parseTarget } from '../story/target.ts';

/** The spec: a test for each test case, with what to enter taken from the data file. */
export function writeSpec(
  className: string,
  paths: { readonly runner: string; readonly pageObject: string },
  design: DesignOutput,
): string {
  return `// Written by the gate "code" from the test cases and the element mappings. Edits are lost at its next run.
import { expectMessage, expectRow, expectThat, type Rows, type Spec } from '${paths.runner}/spec.ts';
import { ${className} } from '${paths.pageObject}';

const spec: Spec<${className}> = {
  dataFile: ${literal(design.dataStrategy.dataFile)},
  dataDigest: ${literal(design.dataStrategy.dataDigest)},
  open: (screen) => new ${className}(screen),
  tests: [
${design.testCases.map(testSource).join('\n')}
  ],
};

export default spec;
`;
}

function testSource({ testId, description, dataCase, testSteps, expectedResult }: TestCase): string {
  const usesValues = testSteps.some((step) => step.data !== undefined);
  const { assertions } = expectedResult;
  const rows = assertions.some(({ type }) => type === 'dialog') ? ['let rows: Rows = [];'] : [];
  const lines = [...rows, ...testSteps.map(stepSource), ...assertions.map(assertionSource)];
  return `    {
      testId: ${literal(testId)},
      description: ${literal(description)},
      dataCase: ${literal(dataCase)},
      async run(page, ${usesValues ? 'value' : '_value'}, steps) {
${lines.map((line) => `        ${line}`).join('\n')}
      },
    },`;
}

function stepSource({ action, target: text }: TestStep): string {
  const target = parseTarget(text);
  const name = pascal(logicalNameOf(target));
  const value = `value(${literal(keyOf(target.group, target.label))})`;
  const call = {
    text: `page.enter${name}(${value})`,
    choice: `page.choose${name}(${value})`,
    date: `page.choose${name}(${value})`,
    tick: `page.tick${name}()`,
    button: `page.press${name}()`,
    dialog: `page.is${name}Shown()`,
  }[target.kind];
  return `await steps.step(${literal(action)}, ${literal(target.label)}, () => ${call});`;
}

/** The rows of the dialog are read when it is seen to be open, and compared after that. */
function assertionSource({ type, target: text, expected = '' }: Assertion): string {
  const { label } = parseTarget(text);
  const name = pascal(logicalNameOf(parseTarget(text)));
  const step = (action: string, work: string): string =>
    `await steps.step(${literal(action)}, ${literal(label)}, async () => ${work});`;
  switch (type) {
    case 'dialog':
      return step(
        `The dialog "${label}" opens`,
        `{\n          expectThat(await page.is${name}Shown(), ${literal(`the dialog "${label}" is not shown`)});\n          rows = await page.read${name}();\n        }`,
      );
    case 'no-dialog':
      return step(
        `No dialog "${label}"`,
        `expectThat(!(await page.is${name}Shown()), ${literal(`the dialog "${label}" is shown`)})`,
      );
    case 'dialog-row':
      return step(`The dialog lists ${label}`, `expectRow(rows, ${literal(label)}, ${literal(expected)})`);
    case 'message':
      return step(`The form says "${expected}"`, `expectMessage(await page.messages(), ${literal(expected)})`);
    case 'empty':
      return step(
        `${label} is empty`,
        `expectThat((await page.read${name}()) === '', ${literal(`"${label}" is not empty`)})`,
      );
    case 'not-offered':
      return step(
        `${label} does not offer ${expected}`,
        `expectThat(!(await page.offers${name}(${literal(expected)})), ${literal(`"${label}" offers ${expected}`)})`,
      );
  }
}
