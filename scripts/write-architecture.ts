/**
 * Writes the picture in docs/architecture.md: the rooms of src/ and their imports.
 * `node scripts/write-architecture.ts`; a test checks that the page is up to date.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'docs/architecture.md';

/** Static imports, re-exports and `import()`, of files of this repository. */
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*)'(\.[^']+)'/g;

/** Rooms that nearly all others import: arrows to them would hide the others. */
const EVERYWHERE = new Set(['errors', 'json', 'untrusted', 'environment', 'in-parallel', 'version']);

/** Room → the rooms that it imports. */
type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/** The page, by its path in this repository. */
export function architecturePage(): Record<string, string> {
  const text = readFileSync(`${ROOT}/${PAGE}`, 'utf8');
  const place = /(<!-- rooms: [^\n]* -->\n)[^]*?(<!-- end of rooms -->)/;
  if (!place.test(text)) throw new Error(`${PAGE} has no place for the picture`);
  const picture = mermaid(roomsOf(sources()));
  return { [PAGE]: text.replace(place, (_, from: string, to: string) => `${from}\n${picture}\n\n${to}`) };
}

/** Path below src/ → text. */
function sources(): ReadonlyMap<string, string> {
  const names = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.replaceAll('\\', '/'),
  );
  const files = names.filter((name) => name.endsWith('.ts')).toSorted();
  return new Map(files.map((name) => [name, readFileSync(`${ROOT}/src/${name}`, 'utf8')]));
}

/** `run/record.ts` → `run`; `version.ts` → `version`. */
function roomOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

function roomsOf(files: ReadonlyMap<string, string>): Rooms {
  const rooms = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    const name = roomOf(path);
    const imports = rooms.get(name) ?? new Set<string>();
    rooms.set(name, imports);
    for (const [, to = ''] of text.matchAll(IMPORT)) {
      const other = roomOf(posix.join(dirname(path), to));
      if (other !== name) imports.add(other);
    }
  }
  return rooms;
}

/** Every room reachable from one, over at least one arrow. */
function reachable(rooms: Rooms, from: string, seen = new Set<string>()): Set<string> {
  for (const next of rooms.get(from) ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    reachable(rooms, next, seen);
  }
  return seen;
}

/** Arrows implied by others are left out: this is the smallest picture with the same meaning. */
function mermaid(rooms: Rooms): string {
  const arrows: string[] = [];
  for (const [name, imports] of rooms) {
    if (EVERYWHERE.has(name)) continue;
    const shown = [...imports].filter((to) => !EVERYWHERE.has(to)).toSorted();
    for (const to of shown) {
      const isSaid = shown.some((other) => other !== to && reachable(rooms, other).has(to));
      if (!isSaid) arrows.push(`  ${name} --> ${to}`);
    }
  }
  return ['```mermaid', 'flowchart TD', ...arrows, '```'].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(architecturePage())) writeFileSync(`${ROOT}/${path}`, text);
}
