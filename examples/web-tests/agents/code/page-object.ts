import type { DatePicker, ElementMapping, Locator, MapOutput } from '../protocol/outputs.ts';
import { literal, logicalNameOf, pascal } from '../story/names.ts';
import { parseTarget, type Target } from '../story/target.ts';

/** What the page object is made of. */
export interface PageObject {
  readonly className: string;
  readonly source: string;
}

/**
 * A TypeScript class with a method for each thing to do with each target.
 * An element that was not found on the page has no locators: the test that needs it fails and says so.
 */
export function writePageObject(
  className: string,
  runner: string,
  targets: readonly string[],
  map: MapOutput,
): PageObject {
  const mappings = new Map(map.elementMappings.map((mapping) => [mapping.logicalName, mapping]));
  const pickers = map.specialComponents.filter(
    (component): component is DatePicker => component.type === 'date-picker',
  );
  const elements = targets.map((text) => {
    const target = parseTarget(text);
    return elementLine(logicalNameOf(target), target.label, mappings.get(logicalNameOf(target)));
  });
  const controls = pickers
    .flatMap((picker) => Object.values(picker.controls))
    .map((name) => elementLine(name, null, mappings.get(name)));
  const methods = targets.map(parseTarget).flatMap((target) =>
    methodsFor(
      target,
      pickers.find((picker) => picker.element === logicalNameOf(target)),
    ),
  );
  const source = `// Written by the gate "code" from the test cases and the element mappings. Edits are lost at its next run.
import { pickDate } from '${runner}/pick-date.ts';
import { StepError, type PageElement, type Screen } from '${runner}/screen.ts';

export const elements = {
${[...elements, ...controls].join('\n')}
} as const satisfies Record<string, PageElement>;

export class ${className} {
  readonly screen: Screen;

  constructor(screen: Screen) {
    this.screen = screen;
  }

${methods.join('\n\n')}

  async messages(): Promise<string[]> {
    return this.screen.messages();
  }
}
`;
  return { className, source };
}

function elementLine(name: string, label: string | null, mapping: ElementMapping | undefined): string {
  const locators = mapping ? [mapping.locators.primary, ...mapping.locators.fallbacks] : [];
  const lines = locators.map((locator) => `      ${literal(plain(locator))},`);
  const list = lines.length === 0 ? '[]' : `[\n${lines.join('\n')}\n    ]`;
  return `  ${name}: {\n    name: ${literal(name)},\n    label: ${literal(label)},\n    locators: ${list},\n  },`;
}

function plain({ type, value, name, group }: Locator): Locator {
  return { type, value, ...(name !== undefined && { name }), ...(group !== undefined && { group }) };
}

function methodsFor(target: Target, picker: DatePicker | undefined): string[] {
  const name = logicalNameOf(target);
  const is = `elements.${name}`;
  const read = method(`read${pascal(name)}`, '', 'string', `return this.screen.valueOf(${is});`);
  switch (target.kind) {
    case 'text':
      return [method(`enter${pascal(name)}`, 'text: string', 'void', `await this.screen.fill(${is}, text);`), read];
    case 'choice':
      return [
        method(`choose${pascal(name)}`, 'option: string', 'void', `await this.screen.choose(${is}, option);`),
        read,
      ];
    case 'tick':
      return [method(`tick${pascal(name)}`, '', 'void', `await this.screen.tick(${is});`), read];
    case 'button':
      return [method(`press${pascal(name)}`, '', 'void', `await this.screen.press(${is});`)];
    case 'dialog':
      return [
        method(`is${pascal(name)}Shown`, '', 'boolean', `return this.screen.isShown(${is});`),
        method(`read${pascal(name)}`, '', '(readonly [string, string])[]', `return this.screen.rowsOf(${is});`),
      ];
    case 'date':
      return [...dateMethods(name, target.label, picker), read];
  }
}

function dateMethods(name: string, label: string, picker: DatePicker | undefined): string[] {
  const parts = picker
    ? Object.entries(picker.controls).map(([control, element]) => `${control}: elements.${element}`)
    : [];
  const pick = picker
    ? `return pickDate(this.screen, { input: elements.${name}, ${parts.join(', ')} }, day);`
    : `await this.screen.press(elements.${name});\n    throw new StepError(\`no way is known to pick \${day} for ${label.replaceAll(/[`\\$]/g, '\\$&')}\`);`;
  return [
    method(`offers${pascal(name)}`, 'day: string', 'boolean', pick),
    method(
      `choose${pascal(name)}`,
      'day: string',
      'void',
      `if (!(await this.offers${pascal(name)}(day))) throw new StepError(\`the calendar does not offer \${day}\`);`,
    ),
  ];
}

function method(name: string, parameters: string, result: string, body: string): string {
  return `  async ${name}(${parameters}): Promise<${result}> {\n    ${body}\n  }`;
}
