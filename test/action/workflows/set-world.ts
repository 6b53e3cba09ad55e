import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { REPOSITORY } from '../../support/command-line.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import { ActionWorld, type WorldRunOptions } from './action-world.ts';
import { ACTION, CHECKOUT, type Keys } from './workflow-text.ts';

/** Where worlds have `set.yml`. */
export const CALLED = '.github/workflows/called.yml';

/**
 * What GitHub makes of the called workflow. The runner of these tests carries out no calls, so the two gates of the
 * definition are steps of the calling job, with what it passes on; that it calls `pipeline.yml` is shown by act.
 * @param permissions of the calling job
 */
export async function called(permissions?: Keys): Promise<string> {
  const text = await readFile(join(REPOSITORY, '.github/workflows/set.yml'), 'utf8');
  const workflow = parse(text.replaceAll(/uses: \$\/$/gm, `uses: ${ACTION}`)) as { jobs: Record<string, Caller> };
  const pipeline = parse(await readFile(join(REPOSITORY, '.github/workflows/pipeline.yml'), 'utf8')) as {
    on: { workflow_call: { outputs: Record<string, { value: string }> } };
  };
  const outputs = Object.entries(pipeline.on.workflow_call.outputs).map(([name, { value }]) => [
    name,
    value.replace('inputs.slot', 'matrix.slot').replace('jobs.report', 'steps.report'),
  ]);
  const jobs = Object.entries(workflow.jobs).map(([id, job]) => [
    id,
    job.uses === undefined ? job : { ...inline(job), outputs: Object.fromEntries(outputs) },
  ]);
  return stringify(
    { ...workflow, ...(permissions && { permissions }), jobs: Object.fromEntries(jobs) },
    { aliasDuplicateObjects: false },
  );
}

type Caller = Record<string, Keys> & { readonly uses?: unknown };

function inline({ uses, with: given, secrets: _, strategy, ...job }: Caller): Keys {
  expect(uses).toBe('$/.github/workflows/pipeline.yml');
  const { comment, statuses, slot, ...inputs } = given!;
  expect(slot).toBe('${{ matrix.slot }}');
  expect([comment, statuses]).toEqual(['never', 'never']);
  const { 'max-parallel': most, ...rest } = strategy!;
  expect(most).toBe('${{ inputs.max-parallel }}');
  const make = { id: 'gate', uses: ACTION, with: { ...inputs, gate: 'make' } };
  const check = { id: 'check', uses: ACTION, with: { ...inputs, gate: 'check' } };
  const { subject, set } = inputs;
  const about = { command: 'report', needs: NEEDS, subject, set, comment, statuses, history: 0 } as Keys;
  const report = { id: 'report', if: 'always()', uses: ACTION, with: about };
  return { ...job, strategy: rest, 'runs-on': 'ubuntu-latest', steps: [CHECKOUT, make, check, report] };
}

/** What the report of `pipeline.yml` gets from the jobs of two waves. */
const NEEDS = JSON.stringify({
  waves: { result: 'success', outputs: { waves: JSON.stringify([[{ gate: 'make' }], [{ gate: 'check' }]]) } },
  'wave-0': waveOf('gate'),
  'wave-1': waveOf('check'),
});

function waveOf(step: string): object {
  const output = (name: string): string => `\${{ steps.${step}.outputs.${name} }}`;
  const outputs = { 'digest-0': output('digest'), 'files-digest-0': output('files-digest') };
  return { result: `\${{ steps.${step}.outcome }}`, outputs };
}

/** Each gate notes its start as `subject/gate`. `make` fails where the file of the subject says so, and for other tasks. */
export function gate(id: string, also = ''): Keys {
  const subject = `s=$(sed -n 's/.*"subject":"\\([^"]*\\)".*/\\1/p' "$GATELINE_REQUEST")`;
  const run = [subject, `echo "$s/${id} 1 $$" >> "$START_LOG"`, also, 'echo 1 > "$GATELINE_OUTPUT"'].join('\n');
  return { run, inputs: [] };
}

const FAILS = 'test "$GITHUB_RUN_ATTEMPT" -gt 1 || [ "$s" != bad ] || exit 1';
/** The agent fails unless the request has the task and the metadata of its subject. */
export const KNOWS =
  'grep -q "\\"task\\":\\"Make $s\\"" "$GATELINE_REQUEST" || exit 2\ngrep -q "\\"of\\":\\"$s\\"" "$GATELINE_REQUEST" || exit 3';
/** Two gates; `make` of the subject `bad` fails in the first run attempt. */
export const GATES = { make: gate('make', `${FAILS}\n${KNOWS}`), check: { ...gate('check'), needs: 'make' } };

/** Every subject with its own task and metadata. */
export function setOf(...subjects: readonly (Keys & { readonly id: string })[]): string {
  const own = (one: { readonly id: string }): object => ({ task: `Make ${one.id}`, metadata: { of: one.id }, ...one });
  return JSON.stringify({ format: 'gateline-set/1', subjects: subjects.map(own) });
}

/** A run of `set.yml` with all subjects. */
export const run: WorldRunOptions = { workflow: CALLED, inputs: { set: 'subjects.json' } };

/** A repository with a file of a set, and `set.yml`. */
export async function worldOf(subjects: string, gates: object = GATES, permissions?: Keys): Promise<ActionWorld> {
  const definition = JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, gates }, null, 2);
  return ActionWorld.create({
    'gateline.yml': definition,
    'subjects.json': subjects,
    [CALLED]: await called(permissions),
  });
}

/** The jobs that were not skipped, with their ends. */
export function endsOf({ jobs }: RunReport): Record<string, string> {
  const ended = [...jobs].filter(([, { conclusion }]) => conclusion !== 'skipped');
  return Object.fromEntries(ended.map(([name, { conclusion }]) => [name, conclusion]));
}
