import { expect } from 'vitest';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setStatusSchema, type SetStatusJson } from '../../src/report/json/set-json.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer, type WorldOptions } from './in-process.ts';

/** The subject of a gate, from its request. */
export const SUBJECT = `s=$(sed -n 's/.*"subject":"\\([^"]*\\)".*/\\1/p' "$GATELINE_REQUEST")`;

/** Each gate says that it starts. `make` lists the files that it finds, and fails where a file of that name says so. */
export const MAKE = [
  SUBJECT,
  'echo "$s/make $GATELINE_ATTEMPT $$" >> "$START_LOG"',
  '[ ! -e "$FAIL/$s" ] || exit 1',
  'mkdir -p made; echo "$(ls made)" > list; mv list "made/$s.txt"',
  `printf '{"costUsd": 0.5}' > "$GATELINE_METRICS"`,
  'echo 1 > "$GATELINE_OUTPUT"',
].join('\n');
const CHECK = `${SUBJECT}; echo "$s/check $GATELINE_ATTEMPT $$" >> "$START_LOG"; echo 2 > "$GATELINE_OUTPUT"`;

export const GATES = {
  make: { run: MAKE, inputs: ['base.txt', 'made/**'], files: ['made/*.txt', 'shared.txt', '.github/**'] },
  check: { needs: 'make', run: CHECK, inputs: ['base.txt'] },
};

export const pipeline = (gates: object = GATES, more: object = {}): string =>
  JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, ...more, gates }, null, 2);

export const setOf = (...subjects: object[]): string => JSON.stringify({ format: 'gateline-set/1', subjects }, null, 2);

export const FOUR = setOf(
  { id: 'base' },
  { id: 'bad', set: 'second' },
  { id: 'top', needs: ['base'], set: 'second' },
  { id: 'last', needs: ['bad', 'top'], set: 'third' },
);

export async function workspaceWith(subjects: string, definition: string = pipeline()): Promise<ScratchWorkspace> {
  const made = { 'made/own.txt': 'own\n', 'base.txt': 'base\n', '.gitignore': '.state/\n' };
  return ScratchWorkspace.create({ 'gateline.yml': definition, 'subjects.json': subjects, ...made });
}

/** A command with `--set`, and with the folder that says which subjects fail. */
export function set(workspace: ScratchWorkspace, args: readonly string[], options: WorldOptions = {}): Promise<Answer> {
  const environment = plainEnvironment(workspace.variables({ FAIL: workspace.beside('fail') }));
  const [command = '', ...more] = args;
  return gateline(workspace.root, [command, '--set', 'subjects.json', ...more], { environment, ...options });
}

/** Lets the gate `make` of these subjects fail from now on, and of no others. */
export function failing(workspace: ScratchWorkspace, ...ids: string[]): void {
  const folder = workspace.beside('fail');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const id of ids) writeFileSync(join(folder, id), '');
}

/** The subjects of `--json`, by id. */
export async function subjects(answer: Promise<Answer>): Promise<Record<string, SetStatusJson['subjects'][number]>> {
  const { out, err } = await answer;
  expect(out, err).toMatch(/^\{/);
  return Object.fromEntries(setStatusSchema.parse(JSON.parse(out)).subjects.map((one) => [one.id, one]));
}
