import type { FieldRule } from './field-rule.ts';

/** What a step or an assertion is about: a kind of thing, and what people read on it. */
export interface Target {
  readonly kind: 'text' | 'choice' | 'date' | 'tick' | 'button' | 'dialog';
  readonly label: string;
  readonly group: string | null;
}

const NOUNS = {
  text: 'text field',
  choice: 'choice',
  date: 'date field',
  tick: 'tick box',
  button: 'button',
  dialog: 'dialog',
} as const;

/** A target as test cases hold it: `text field "City" in "Current address"`. */
export function formatTarget({ kind, label, group }: Target): string {
  return `${NOUNS[kind]} "${label}"${group === null ? '' : ` in "${group}"`}`;
}

/** The target that such a text names. */
export function parseTarget(text: string): Target {
  const match = /^([a-z ]+) "(.+?)"(?: in "(.+)")?$/.exec(text);
  const kind = (Object.keys(NOUNS) as Target['kind'][]).find((name) => NOUNS[name] === match?.[1]);
  if (!match || !kind) throw new Error(`not a target: ${text}`);
  return { kind, label: match[2]!, group: match[3] ?? null };
}

/** The target of a field. */
export function targetOf(field: FieldRule): Target {
  const kind = field.kind === 'email' || field.kind === 'digits' ? 'text' : field.kind;
  return { kind, label: field.label, group: field.group };
}
