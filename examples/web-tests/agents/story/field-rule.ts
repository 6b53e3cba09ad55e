/** What a criterion says of one field of the form. */
export type FieldRule = {
  /** `firstName`; `currentAddressCity` for City in "Current address". */
  readonly key: string;
  /** As people read it on the form. */
  readonly label: string;
  /** The group (fieldset) that tells it from others of that label. */
  readonly group: string | null;
  readonly required: boolean;
} & (
  | { readonly kind: 'text'; readonly min: number; readonly max: number }
  | { readonly kind: 'email' }
  | { readonly kind: 'digits'; readonly length: number }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** Days as `yyyy-mm-dd`, both included. */
  | { readonly kind: 'date'; readonly earliest: string; readonly latest: string }
  | { readonly kind: 'tick' }
);

/**
 * A field from its criterion, `<label>[ in "<group>"] is required|optional: <rule>.`
 * @returns `undefined` when the sentence is not of that form or its rule is not known.
 */
export function parseField(criterion: string): FieldRule | undefined {
  const match = /^(.+?)(?: in "([^"]+)")? is (required|optional): (.+?)\.?$/.exec(
    criterion.replaceAll(/[*_`]/g, '').trim(),
  );
  if (!match) return undefined;
  const [, label = '', group = null, necessity, sentence = ''] = match;
  const rule = parseRule(sentence);
  return rule && ({ key: keyOf(group, label), label, group, required: necessity === 'required', ...rule } as FieldRule);
}

/** The camel-case key of a label in a group. */
export function keyOf(group: string | null, label: string): string {
  const words = `${group ?? ''} ${label}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['field'];
  return words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('');
}

function parseRule(sentence: string): object | undefined {
  if (sentence === 'an email address') return { kind: 'email' };
  if (sentence === 'ticked') return { kind: 'tick' };
  const between = /^text of (\d+) to (\d+) characters$/.exec(sentence);
  if (between) return { kind: 'text', min: Number(between[1]), max: Number(between[2]) };
  const upTo = /^text of up to (\d+) characters$/.exec(sentence);
  if (upTo) return { kind: 'text', min: 0, max: Number(upTo[1]) };
  const digits = /^exactly (\d+) digits$/.exec(sentence);
  if (digits) return { kind: 'digits', length: Number(digits[1]) };
  const options = /^one of (.+, .+)$/.exec(sentence)?.[1];
  if (options) return { kind: 'choice', options: options.split(', ') };
  const dates = /^a date from (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)$/.exec(sentence);
  if (dates) return { kind: 'date', earliest: dates[1], latest: dates[2] };
  return undefined;
}
