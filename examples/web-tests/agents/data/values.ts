import type { FieldRule } from '../story/field-rule.ts';
import type { Random } from './random.ts';

const DAY = 86_400_000;

/** A capitalised word of exactly `length` letters that can be spoken. */
export function word(random: Random, length: number): string {
  const letters = Array.from({ length }, (_, at) => random.pick((at % 2 === 0 ? 'bdfgklmnprstvz' : 'aeiou').split('')));
  return letters.join('').replace(/^./, (first) => first.toUpperCase());
}

/** A value that the field's rule allows. `turn` walks through the options of a choice. */
export function validValue(field: FieldRule, random: Random, turn: number): string {
  switch (field.kind) {
    case 'text':
      return word(random, random.between(Math.min(Math.max(field.min, 4), field.max), Math.min(field.max, 10)));
    case 'email':
      return `${word(random, 5)}.${word(random, 6)}@example.${random.pick(['com', 'org', 'net'])}`.toLowerCase();
    case 'digits':
      return digits(random, field.length);
    case 'choice':
      return field.options[turn % field.options.length]!;
    case 'date':
      return dayOf(random.between(Date.parse(field.earliest) / DAY, Date.parse(field.latest) / DAY));
    case 'tick':
      return 'Yes';
  }
}

/** The least and the most that the rule allows; `undefined` where it has no such ends. */
export function endValue(field: FieldRule, random: Random, end: 'least' | 'most'): string | undefined {
  if (field.kind === 'text') return word(random, end === 'least' ? Math.max(1, field.min) : field.max);
  if (field.kind === 'date') return end === 'least' ? field.earliest : field.latest;
  return undefined;
}

/** Values just outside what the rule allows, each with what is wrong with it. */
export function beyondValues(field: FieldRule, random: Random): { readonly about: string; readonly value: string }[] {
  if (field.kind === 'text') {
    const long = { about: `${field.max + 1} characters`, value: word(random, field.max + 1) };
    return field.min > 1
      ? [{ about: `${field.min - 1} characters`, value: word(random, field.min - 1) }, long]
      : [long];
  }
  if (field.kind === 'digits')
    return [field.length - 1, field.length + 1].map((length) => ({
      about: `${length} digits`,
      value: digits(random, length),
    }));
  if (field.kind === 'date') {
    const before = dayOf(Date.parse(field.earliest) / DAY - 1);
    const after = dayOf(Date.parse(field.latest) / DAY + 1);
    return [before, after].map((value) => ({ about: value, value }));
  }
  return [];
}

/** A value of the right length in the wrong form; `undefined` where any form will do. */
export function malformedValue(field: FieldRule, random: Random): string | undefined {
  if (field.kind === 'email') return `${word(random, 6)}.example.com`.toLowerCase();
  if (field.kind === 'digits') return word(random, field.length);
  return undefined;
}

function digits(random: Random, length: number): string {
  return Array.from({ length }, (_, at) => random.between(at === 0 ? 1 : 0, 9)).join('');
}

function dayOf(days: number): string {
  return new Date(days * DAY).toISOString().slice(0, 10);
}
