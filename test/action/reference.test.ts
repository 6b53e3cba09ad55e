import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { actionMetadata, actionPages, FOR_THEIR_DEFAULT } from '../../scripts/write-action-reference.ts';
import { INPUT_USES } from '../../src/action/inputs/input-uses.ts';
import { COMMAND_NAMES } from '../../src/action/inputs/command-names.ts';
import { INPUT_NAMES } from '../../src/action/inputs/inputs-schema.ts';
import { DECISIONS, OUTPUT_NAMES } from '../../src/action/outputs.ts';
import { RUN_STATUSES } from '../../src/run/state/run-state.ts';
import { gateSchema } from '../../src/pipeline/file/gateline-gate.ts';
import { GITHUB_GATE_KEYS } from '../../src/pipeline/file/github-keys.ts';
import { inputsIn } from '../support/runner/lent-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const metadata = actionMetadata();

describe('action.yml', () => {
  it('has the inputs and outputs that the code knows, in one order', () => {
    expect(Object.keys(metadata.inputs)).toEqual(INPUT_NAMES);
    expect(Object.keys(INPUT_USES)).toEqual(INPUT_NAMES);
    expect(Object.keys(metadata.outputs)).toEqual(OUTPUT_NAMES);
  });

  it('is one program in two files for main and post, on the Node that is developed with', () => {
    expect(metadata.runs).toEqual({ using: 'node24', main: 'dist/index.js', post: 'dist/post.js' });
  });

  it('says of each input and output what it is, without an expression, which GitHub refuses there', () => {
    for (const { description } of [...Object.values(metadata.inputs), ...Object.values(metadata.outputs)]) {
      expect(description).toMatch(/^[A-Z`].{10,}[.]$/s);
      expect(description).not.toContain('${{');
    }
    const { name, description, branding } = parse(read('action.yml')) as Record<string, unknown>;
    expect([name, typeof description, branding]).toEqual([
      'Gateline',
      'string',
      { icon: 'check-square', color: 'green' },
    ]);
  });

  it('has defaults only for what the runner alone knows, from contexts that a default may use', () => {
    const withDefault = Object.entries(metadata.inputs).filter(([, input]) => input.default !== undefined);
    expect(withDefault.map(([name]) => name).toSorted()).toEqual(['github-token', ...FOR_THEIR_DEFAULT].toSorted());
    for (const [, input] of withDefault)
      expect(input.default).toMatch(/^\$\{\{ (?:toJSON\(matrix\)|(?:github|job)\.[a-z_]+) \}\}$/);
  });

  it('tells the defaults that the code has', () => {
    const defaults = inputsIn({});
    if (!defaults.ok) throw new Error('no input is needed');
    const { command, exposeOutput, maxArtifacts, cache, comment, summary, history } = defaults.inputs;
    const told = {
      command,
      'expose-output': exposeOutput,
      'max-artifacts': maxArtifacts,
      cache,
      comment,
      summary,
      history,
    };
    for (const [name, value] of Object.entries(told))
      expect(metadata.inputs[name]!.description).toMatch(new RegExp(`Default: \`?${String(value)}\`?\\.$`));
  });

  it('describes a gate by the keys that gateline.yml has, and all of them', () => {
    const { output, ...keys } = gateSchema.shape;
    const describing = INPUT_NAMES.filter((name) => INPUT_USES[name].describes === true && name !== 'pipeline');
    const ofTheWorkflow = Object.keys(GITHUB_GATE_KEYS);
    const ofTheFile = [
      'number',
      'agent',
      'if',
      'strategy',
      'needs',
      'workspace',
      'on-fail',
      'approval',
      'memory',
      'budget',
      'requires',
      'creates',
      'invalidates',
      'on-invalid',
      'leaves',
    ];
    const elsewhere = [...ofTheFile, ...ofTheWorkflow];
    const known = [...Object.keys(keys), ...Object.keys(output.unwrap().shape)].filter(
      (key) => !elsewhere.includes(key),
    );
    expect(describing.toSorted()).toEqual(known.toSorted());
  });

  it('names the values that outputs have', () => {
    for (const decision of DECISIONS) expect(metadata.outputs['decision']!.description).toContain(`\`${decision}\``);
    for (const status of RUN_STATUSES) expect(metadata.outputs['run-status']!.description).toContain(`\`${status}\``);
  });
});

describe('docs/reference/action.md', () => {
  it.each(Object.entries(actionPages()))(
    '%s is what action.yml and the code say (node scripts/write-action-reference.ts)',
    (path, text) => {
      expect(read(path)).toBe(text);
    },
  );

  it('has each input once among the tables, and a row for each input that commands take', () => {
    const page = read('docs/reference/action.md');
    const [tables, uses] = page.split('## Which input belongs to which command');
    for (const name of INPUT_NAMES) expect(tables!.split(`\n| \`${name}\` |`)).toHaveLength(2);
    for (const name of INPUT_NAMES.filter((one) => !FOR_THEIR_DEFAULT.has(one))) {
      const { commands, elsewhere } = INPUT_USES[name];
      const marks = COMMAND_NAMES.map((command) => (commands.includes(command) ? 'yes' : elsewhere));
      expect(uses).toContain(`| \`${name}\` | ${marks.join(' | ')} |`);
    }
    for (const name of OUTPUT_NAMES) expect(uses).toContain(`| \`${name}\` |`);
  });
});
