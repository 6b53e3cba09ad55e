import {
  Binary,
  ContextAccess,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Unary,
} from '@actions/expressions/ast';
import { data, type Expr } from '@actions/expressions';

/** One use of a context: `needs.review.output.items` is `needs` with the path `review`, `output`, `items`. */
export interface Reference {
  /** The context, in lower case. */
  readonly context: string;
  /** Keys and indices that follow, up to the first that is computed; then {@link Reference.isOpen} is set. */
  readonly path: readonly string[];
  /** A computed key or `*` follows. */
  readonly isOpen: boolean;
  /** The text that this reference is compared with through `==` or `!=`, if any. */
  readonly comparedWith: string | undefined;
  /** Position of the context: line and column of the expression, from 0. */
  readonly start: { readonly line: number; readonly column: number };
}

/** Every use of a context in an expression, in order of appearance. */
export function referencesIn(expression: Expr): Reference[] {
  const found: Reference[] = [];
  collect(expression, undefined, found);
  return found;
}

function collect(node: Expr, comparedWith: string | undefined, found: Reference[]): void {
  if (node instanceof Grouping) collect(node.group, comparedWith, found);
  else if (node instanceof Unary) collect(node.expr, undefined, found);
  else if (node instanceof Logical) for (const arg of node.args) collect(arg, undefined, found);
  else if (node instanceof FunctionCall) for (const arg of node.args) collect(arg, undefined, found);
  else if (node instanceof Binary) {
    const isEquality = node.operator.lexeme === '==' || node.operator.lexeme === '!=';
    collect(node.left, isEquality ? textOf(node.right) : undefined, found);
    collect(node.right, isEquality ? textOf(node.left) : undefined, found);
  } else if (node instanceof IndexAccess || node instanceof ContextAccess) {
    collectAccess(node, comparedWith, found);
  }
}

function collectAccess(
  access: IndexAccess | ContextAccess,
  comparedWith: string | undefined,
  found: Reference[],
): void {
  const keys: (string | undefined)[] = [];
  const inside: Expr[] = [];
  let node: Expr = access;
  while (node instanceof IndexAccess || node instanceof Grouping) {
    if (node instanceof Grouping) {
      node = node.group;
      continue;
    }
    const key = keyOf(node.index);
    keys.unshift(key);
    if (key === undefined) inside.unshift(node.index);
    node = node.expr;
  }
  if (node instanceof ContextAccess) {
    const open = keys.indexOf(undefined);
    const path = (open < 0 ? keys : keys.slice(0, open)) as string[];
    found.push({
      context: node.name.lexeme.toLowerCase(),
      path,
      isOpen: open >= 0,
      comparedWith,
      start: node.name.range.start,
    });
  } else {
    collect(node, undefined, found);
  }
  for (const index of inside) collect(index, undefined, found);
}

function keyOf(index: Expr): string | undefined {
  if (!(index instanceof Literal)) return undefined;
  const { literal } = index;
  return literal instanceof data.StringData || literal instanceof data.NumberData ? literal.coerceString() : undefined;
}

function textOf(node: Expr): string | undefined {
  return node instanceof Literal && node.literal instanceof data.StringData ? node.literal.value : undefined;
}
