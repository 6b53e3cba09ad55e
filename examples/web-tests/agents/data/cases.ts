import type { CaseKind, DataCase } from '../protocol/outputs.ts';
import type { FieldRule } from '../story/field-rule.ts';
import type { Story } from '../story/story.ts';
import type { Random } from './random.ts';
import { beyondValues, endValue, malformedValue, validValue, word } from './values.ts';

type Values = Record<string, string>;
type Expect = DataCase['expect'];

/** Test data for every rule of a story: valid, invalid, boundary and edge cases, ids `valid-1`, `invalid-1`, … */
export function createCases(story: Story, random: Random, validCases: number): DataCase[] {
  const cases: DataCase[] = [];
  const count: Record<CaseKind, number> = { valid: 0, invalid: 0, boundary: 0, edge: 0 };
  let turn = 0;
  const add = (kind: CaseKind, about: string, change: Values, expect: Expect = { outcome: 'accepted' }): void => {
    const base = Object.fromEntries(story.fields.map((field) => [field.key, validValue(field, random, turn)]));
    const values = Object.fromEntries(Object.entries({ ...base, ...change }).filter(([, value]) => value !== ''));
    cases.push({ id: `${kind}-${++count[kind]}`, kind, about, values, expect });
    turn += 1;
  };
  for (let at = 0; at < validCases; at++) add('valid', 'every field by its rule', {});
  for (const field of story.fields) addInvalid(field, random, add);
  addBoundaries(story.fields, random, add);
  addEdges(story, random, add);
  return cases;
}

type Add = (kind: CaseKind, about: string, change: Values, expect?: Expect) => void;

function addInvalid(field: FieldRule, random: Random, add: Add): void {
  if (field.required)
    add('invalid', `${field.label} left empty`, { [field.key]: '' }, { outcome: 'empty', field: field.key });
  const malformed = malformedValue(field, random);
  if (malformed !== undefined)
    add(
      'invalid',
      `${field.label} in a wrong form`,
      { [field.key]: malformed },
      { outcome: 'wrong', field: field.key },
    );
}

function addBoundaries(fields: readonly FieldRule[], random: Random, add: Add): void {
  for (const end of ['least', 'most'] as const) {
    const ends = fields.map((field) => [field.key, endValue(field, random, end)] as const);
    add(
      'boundary',
      `the ${end} that each rule allows`,
      Object.fromEntries(ends.filter((pair): pair is [string, string] => pair[1] !== undefined)),
    );
  }
  for (const field of fields) {
    for (const { about, value } of beyondValues(field, random)) {
      const outcome = field.kind === 'date' ? 'not-offered' : 'wrong';
      add('boundary', `${field.label} of ${about}`, { [field.key]: value }, { outcome, field: field.key });
    }
  }
}

function addEdges({ fields, trims }: Story, random: Random, add: Add): void {
  const names = fields.filter((field) => field.kind === 'text' && field.max >= 10);
  const strange = ["O'%", 'Zoë-%', 'Ñ %', '李%'];
  add(
    'edge',
    'names that are not plain letters',
    Object.fromEntries(
      names.map((field, at) => [field.key, strange[at % strange.length]!.replace('%', word(random, 5))]),
    ),
  );
  const optional = fields.filter((field) => !field.required);
  if (optional.length > 0)
    add('edge', 'only what is required', Object.fromEntries(optional.map((field) => [field.key, ''])));
  const email = fields.find((field) => field.kind === 'email');
  if (email)
    add('edge', `${email.label} with a tag`, { [email.key]: `${word(random, 6)}+tag@mail.example.com`.toLowerCase() });
  const typed = names.find((field) => field.required);
  if (!trims || !typed) return;
  add('edge', `${typed.label} with spaces around`, { [typed.key]: `  ${word(random, 6)} ` });
  add('edge', `${typed.label} of nothing but spaces`, { [typed.key]: '   ' }, { outcome: 'empty', field: typed.key });
}
