import { wellKnownFunctions } from '@actions/expressions';
import { POINTER_PATTERN } from '../../json/pointer.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { valueAt } from '../../json/json-pointer.ts';
import { shortValue } from '../value-texts.ts';
import { aKind, ExpressionRefusal, fromData, kindOf, toData, type Operand } from './operand.ts';

type CheckedFunction = (args: readonly Operand[]) => JsonValue;

/**
 * The functions of an expression, by lower-case name. GitHub's own functions do the work. Their arguments are checked
 * first, since those functions accept anything and return false or an empty text for invalid arguments. `case` is not
 * among them: it evaluates only what it needs.
 */
export const FUNCTIONS: Readonly<Record<string, CheckedFunction>> = {
  has: ([of, pointer]) => has(of!.value, textOf('has', pointer!)),
  contains: ([search, item]) => {
    checkContains(search!, item!);
    return official('contains', [search!, item!]);
  },
  startswith: (args) =>
    official(
      'startswith',
      args.map((arg) => texts('startsWith', arg)),
    ),
  endswith: (args) =>
    official(
      'endswith',
      args.map((arg) => texts('endsWith', arg)),
    ),
  format: ([text, ...rest]) =>
    official('format', [texts('format', text!), ...rest.map((arg) => simple('format', arg))]),
  join: ([list, ...separator]) => {
    if (!Array.isArray(list!.value)) throw wrong('join', 'a list', list!);
    for (const item of itemsOf(list!)) simple('join', item);
    return official('join', [list!, ...separator.map((arg) => texts('join', arg))]);
  },
  tojson: ([of]) => JSON.stringify(of!.value, null, 2),
  fromjson: ([text]) => {
    const parsed = parseJson(new TextEncoder().encode(textOf('fromJSON', text!)));
    if (parsed.ok) return parsed.value;
    throw new ExpressionRefusal(`fromJSON: ${shown(text!)} is not JSON: ${parsed.issue.message}`, text);
  },
};

/** Whether a pointer names something. Own keys only; `''` is the whole value. */
export function has(value: JsonValue, pointer: string): boolean {
  if (!POINTER_PATTERN.test(pointer)) {
    throw new ExpressionRefusal(`has: ${shortValue(pointer)} is not a JSON pointer; write '/key' or '/list/0'`);
  }
  return valueAt(value, pointer) !== undefined;
}

function checkContains(search: Operand, item: Operand): void {
  const { value } = search;
  if (typeof value === 'string') return void texts('contains', item);
  if (!Array.isArray(value)) throw wrong('contains', 'a text or a list', search);
  simple('contains', item);
  for (const other of itemsOf(search)) {
    if (kindOf(other.value) === kindOf(item.value)) continue;
    const looked = `${shown(item)} is looked for`;
    throw new ExpressionRefusal(
      `contains: ${other.name} is ${aKind(other.value)}, and ${looked}, ${aKind(item.value)}`,
      other,
    );
  }
}

/** The items of a list, each with its name. */
function itemsOf(list: Operand): readonly Operand[] {
  if (list.parts !== undefined) return list.parts;
  return (list.value as JsonValue[]).map((value, index) => ({
    value,
    name: `${list.name}[${index}]`,
    ...(list.path === undefined ? {} : { path: [...list.path, index] }),
  }));
}

function textOf(name: string, arg: Operand): string {
  if (typeof arg.value !== 'string') throw wrong(name, 'a text', arg);
  return arg.value;
}

function texts(name: string, arg: Operand): Operand {
  textOf(name, arg);
  return arg;
}

function simple(name: string, arg: Operand): Operand {
  const kind = kindOf(arg.value);
  if (kind === 'list' || kind === 'object' || kind === 'null')
    throw wrong(name, 'a text, a number, true or false', arg);
  return arg;
}

function wrong(name: string, wanted: string, arg: Operand): ExpressionRefusal {
  return new ExpressionRefusal(`${name} takes ${wanted}, and ${shown(arg)} is ${aKind(arg.value)}`, arg);
}

function shown(arg: Operand): string {
  return arg.name === '' ? shortValue(arg.value) : arg.name;
}

function official(name: string, args: readonly Operand[]): JsonValue {
  try {
    return fromData(wellKnownFunctions[name]!.call(...args.map(({ value }) => toData(value))));
  } catch (error) {
    throw new ExpressionRefusal(error instanceof Error ? error.message : String(error));
  }
}
