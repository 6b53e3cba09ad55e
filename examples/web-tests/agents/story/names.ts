import { keyOf } from './field-rule.ts';
import type { Target } from './target.ts';

const SUFFIX: Readonly<Record<Target['kind'], string>> = {
  text: 'Input',
  choice: 'Choice',
  date: 'Input',
  tick: 'Checkbox',
  button: 'Button',
  dialog: 'Dialog',
};

/** The name of a target's element in mappings and in code: `firstNameInput`. */
export function logicalNameOf({ kind, label, group }: Target): string {
  return `${keyOf(group, label)}${SUFFIX[kind]}`;
}

/** `StudentRegistration` for `student_registration` or `studentRegistration`. */
export function pascal(text: string): string {
  return text.replaceAll(/(?:^|[_\s-]+)(\p{L})/gu, (_, letter: string) => letter.toUpperCase());
}

/** A value as TypeScript source on one line. */
export function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key}: ${literal(part)}`)
    .join(', ')} }`;
}
