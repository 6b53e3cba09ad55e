import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

/** What must be so of a text, whatever its golden file holds. */
export interface Facts {
  readonly contains?: ReadonlyArray<string | RegExp>;
  readonly lacks?: ReadonlyArray<string | RegExp>;
}

/** Whether golden files may be written: on request, and never where `CI` is set. */
export function mayRegenerate(environment: Readonly<Record<string, string | undefined>>): boolean {
  if (environment['UPDATE_GOLDEN'] === undefined) return false;
  if (environment['CI'] !== undefined && environment['CI'] !== '')
    throw new Error('golden files are not regenerated in CI');
  return true;
}

/** A text is what its golden file says; the facts hold of both, so that a wrong file cannot be regenerated unseen. */
export function expectGolden(
  name: string,
  text: string,
  facts: Facts,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  expectFacts(text, facts);
  const path = join(import.meta.dirname, 'golden', name);
  if (mayRegenerate(environment)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const golden = readFileSync(path, 'utf8');
  expectFacts(golden, facts);
  expect(text).toBe(golden);
}

function expectFacts(text: string, { contains = [], lacks = [] }: Facts): void {
  for (const fact of contains) {
    if (typeof fact === 'string') expect(text).toContain(fact);
    else expect(text).toMatch(fact);
  }
  for (const fact of lacks) {
    if (typeof fact === 'string') expect(text).not.toContain(fact);
    else expect(text).not.toMatch(fact);
  }
}

/** The block of a page between `<!-- example: name -->` and the end of its fence is this text. Regenerated as golden files are. */
export function expectExample(page: string, name: string, text: string, facts: Facts): void {
  expectFacts(text, facts);
  const path = join(import.meta.dirname, '../../docs/reference', page);
  const block = new RegExp(`(<!-- example: ${name} -->\\n\`\`\`[a-z]*\\n)([^]*?)(\`\`\`\\n)`);
  const before = readFileSync(path, 'utf8');
  if (mayRegenerate(process.env)) {
    writeFileSync(
      path,
      before.replace(block, (_all, start: string, _old, end: string) => start + text + end),
    );
  }
  expect(block.exec(readFileSync(path, 'utf8'))?.[2]).toBe(text);
}
