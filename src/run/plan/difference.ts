import { z } from 'zod';
import { canonicalJson } from '../../json/canonical-json.ts';
import { REQUEST_FORMATS, type Request } from './request.ts';
import { documentAt } from '../../memory/documents.ts';
import type { JsonValue } from '../../json/json.ts';
import { firstNames } from '../../errors/first-names.ts';

/** One difference between two requests. */
export interface Difference {
  readonly what:
    | 'file'
    | 'document'
    | 'env'
    | 'export'
    | 'entity'
    | 'rework'
    | 'command'
    | 'with'
    | 'metadata'
    | 'subject'
    | 'task'
    | 'input'
    | 'tool'
    | 'secret'
    | 'platform'
    | 'format'
    | 'matrix';
  /** Path, variable, gate, tool … */
  readonly name: string;
  readonly change: 'changed' | 'added' | 'removed';
  /** Of a changed document: how many lines were added and removed, if the version before is still known. */
  readonly lines?: { readonly added: number; readonly removed: number };
}

/** The differences between a request and the one before it, in the order in which people should read them. */
export function differences(before: Request, after: Request): Difference[] {
  return [
    ...compareMaps('export', before.needs, after.needs),
    ...compareMaps('entity', before.entities ?? {}, after.entities ?? {}),
    ...single('rework', 'rework', before.rework ?? null, after.rework ?? null),
    ...single('document', 'handoff', before.handoff ?? null, after.handoff ?? null),
    ...compareMaps('file', before.inputs.files, after.inputs.files).map(asDocument),
    ...single('command', 'inputs', before.inputs.from, after.inputs.from),
    ...single('command', 'run', before.definition.run, after.definition.run),
    ...single('command', 'shell', before.definition.shell, after.definition.shell),
    ...single('command', 'working-directory', before.definition.workingDirectory, after.definition.workingDirectory),
    ...single('command', 'files', before.definition.files, after.definition.files),
    ...single('command', 'workflow', before.definition.workflow ?? null, after.definition.workflow ?? null),
    ...single('command', 'uses', before.definition.uses ?? null, after.definition.uses ?? null),
    ...compareMaps('with', before.definition.with, after.definition.with),
    ...compareMaps('env', before.definition.env, after.definition.env),
    ...compareMaps('matrix', before.matrix, after.matrix),
    ...single('task', 'task', before.task ?? null, after.task ?? null),
    ...compareMaps('metadata', before.metadata, after.metadata),
    // The subject of an older request may be a default one, which is not part of the request any more.
    ...(before.format === after.format
      ? single('subject', 'subject', before.subject ?? null, after.subject ?? null)
      : []),
    ...single('input', 'input', before.input, after.input),
    ...compareMaps('tool', before.tools, after.tools),
    ...compareMaps('secret', namesAsMap(before.secrets), namesAsMap(after.secrets)),
    ...compareMaps('platform', before.platform, after.platform),
    ...single('format', 'format', before.format, after.format),
  ];
}

/** A request read from a store, or `undefined` if it is not a request of a known version. */
export function asRequest(value: JsonValue): Request | undefined {
  return requestShape.safeParse(value).success ? (value as unknown as Request) : undefined;
}

const object = z.record(z.string(), z.unknown());

/** The part of a request's shape that comparing two of them relies on. */
const requestShape = z.looseObject({
  format: z.enum(REQUEST_FORMATS),
  subject: z.string().optional(),
  task: z.string().optional(),
  matrix: object,
  metadata: object,
  definition: z.looseObject({ with: object, env: object }),
  inputs: z.looseObject({ files: object }),
  needs: object,
  entities: object.optional(),
  secrets: z.array(z.string()),
  tools: object,
  platform: object,
});

const SHOWN = 3;

/** Differences as a sentence: the first few of each kind, the rest as a number. */
export function describeDifferences(found: readonly Difference[]): string {
  if (found.length === 0) return 'no input changed';
  const sorts = Map.groupBy(found, (difference) => difference.what);
  return [...sorts].map(([what, list]) => describeSort(what, list)).join('; ');
}

function describeSort(what: Difference['what'], list: readonly Difference[]): string {
  if (what === 'document') return list.map(describeDocument).join(', ');
  if (what === 'rework') return 'the work was sent back';
  if (what === 'subject' || what === 'task' || what === 'input' || what === 'format') return `the ${what} changed`;
  const byChange = Map.groupBy(list, ({ change }) => change);
  const parts = [...byChange].map(([change, some]) => {
    const names = firstNames(
      some.map(({ name }) => name),
      SHOWN,
    );
    return `${describeNames(what, names, some.length)} ${change}`;
  });
  return parts.join('; ');
}

/** `learned-patterns changed (+2)` */
function describeDocument({ name, change, lines }: Difference): string {
  if (lines === undefined) return `${name} ${change}`;
  const counts = [`+${lines.added}`, ...(lines.removed > 0 ? [`-${lines.removed}`] : [])];
  return `${name} ${change} (${counts.join(' ')})`;
}

/** Names of one sort: `files a, b`, `exports of design`, `metadata url`, `key run`. */
export function describeNames(what: Difference['what'], names: string, count = 1): string {
  const noun = NOUNS[what] ?? `${what}${count > 1 ? 's' : ''}`;
  return `${noun} ${names}`;
}

/** Sorts whose name says too little (a key of the gate), or has no plural. */
const NOUNS: Partial<Record<Difference['what'], string>> = {
  export: 'exports of',
  entity: 'value of',
  command: 'key',
  metadata: 'metadata',
  platform: 'platform',
  matrix: 'matrix',
  env: 'env',
  with: 'with',
};

function compareMaps(what: Difference['what'], before: object, after: object): Difference[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const now = new Map<string, unknown>(Object.entries(after));
  const found: Difference[] = [];
  for (const name of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    if (!old.has(name)) found.push({ what, name, change: 'added' });
    else if (!now.has(name)) found.push({ what, name, change: 'removed' });
    else if (!same(old.get(name), now.get(name))) found.push({ what, name, change: 'changed' });
  }
  return found;
}

/** A document is known by its name. */
function asDocument(difference: Difference): Difference {
  const name = documentAt(difference.name);
  return name === undefined ? difference : { ...difference, what: 'document', name };
}

function single(what: Difference['what'], name: string, before: unknown, after: unknown): Difference[] {
  return same(before, after) ? [] : [{ what, name, change: 'changed' }];
}

function same(a: unknown, b: unknown): boolean {
  return a === b || canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
}

function namesAsMap(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]));
}
