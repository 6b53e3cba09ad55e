import fc from 'fast-check';
import { stringify } from 'yaml';
import { legsOf } from '../../src/pipeline/file/matrix.ts';
import type {
  ContractSource,
  Gate,
  Leg,
  Pipeline,
  SnapshotSettings,
  WorkspaceSettings,
} from '../../src/pipeline/pipeline.ts';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';

const id = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,39}$/).filter((text) => text !== '__proto__');
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((value) => value.trim() !== '' && !value.includes('${{') && value.isWellFormed());
const envName = fc
  .stringMatching(/^[A-Z_][A-Z0-9_]{0,9}$/)
  .filter((name) => !/^(?:GATELINE|GITHUB|RUNNER)_/.test(name));
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map(
    (value) =>
      JSON.parse(
        JSON.stringify(value).replaceAll('__proto__', 'p').replaceAll('<<', 'l').replaceAll('${{', 'e'),
      ) as JsonValue,
  );
const jsonObject = fc
  .dictionary(fc.constantFrom('k', 'x y', '1', 'true', 'null', ''), json)
  .map((value): JsonObject => ({ ...value }));
const path = fc.constantFrom('.', 'a', 'a/b.json', '.x/y');
const glob = fc.constantFrom('**', 'src/**/*.ts', '*.md', '!x', '{a,b}/*', '- x', '#x', '&a');
const condition = fc.constantFrom("metadata.x == 'it''s'", 'subject', "contains(metadata, 'a')");
const contract: fc.Arbitrary<ContractSource> = fc.record({
  schema: fc.oneof(
    fc.constant(undefined),
    fc.record({ path: path.filter((each) => each !== '.') }),
    fc.record({ inline: fc.oneof(fc.boolean(), jsonObject) }),
  ),
  score: fc.constantFrom('/s', '', '/a~1b/~0/é'),
  threshold: fc.double({ min: 0, max: 100, noNaN: true }).map((value) => Math.abs(value)),
  partial: fc.constantFrom('block', 'continue', 'pause'),
  checks: fc.array(fc.constantFrom("output.x == 'y'", 'score >= 5', "has(output, '/x')"), { maxLength: 3 }),
});
const legs: fc.Arbitrary<readonly Leg[]> = fc
  .uniqueArray(fc.oneof(text, fc.integer(), fc.boolean()), { maxLength: 5, selector: (value) => JSON.stringify(value) })
  .map((values) => {
    const result = values.length === 0 ? undefined : legsOf({ include: values.map((value) => ({ value })) });
    return result !== undefined && 'legs' in result ? result.legs : [{ id: '', matrix: {} }];
  });
const shellName = fc.constantFrom('bash', 'sh', 'pwsh', 'python', 'node', 'perl {0}');
const workspace: fc.Arbitrary<WorkspaceSettings> = fc.record({
  link: fc.oneof(
    fc.constantFrom('dependencies' as const, 'none' as const),
    fc.array(glob, { maxLength: 3 }).map((globs) => ['a', ...globs]),
  ),
  setup: fc.option(text, { nil: undefined }),
  shell: shellName,
  maxUntracked: fc.integer({ min: 1, max: 10 ** 14 }),
  trees: fc.constantFrom(undefined, '/var/trees', '../trees', '~/trees', '~'),
});
const snapshots: fc.Arbitrary<SnapshotSettings> = fc.record({
  every: fc.integer({ min: 1, max: 1_000 }),
  keep: fc.option(fc.nat(100_000), { nil: undefined }),
  maxSize: fc.option(fc.integer({ min: 1, max: 10 ** 14 }), { nil: undefined }),
  database: fc.option(
    fc.record({
      snapshot: text,
      restore: text,
      timeoutMinutes: fc.double({ min: 0.001, max: 4_320, noNaN: true }),
    }),
    { nil: undefined },
  ),
});
const gate = fc.record({
  agent: text,
  run: fc.option(
    fc.oneof(
      text,
      fc.tuple(text, text).map((lines) => lines.join('\n')),
      text.map((line) => `${line}\n`),
    ),
    { nil: undefined },
  ),
  shell: shellName,
  workingDirectory: path,
  workspace: fc.constantFrom('tree', 'in-place'),
  if: fc.option(condition, { nil: undefined }),
  inputs: fc.option(
    fc.array(glob, { maxLength: 3 }).map((globs) => (globs.length === 0 ? [] : ['a', ...globs])),
    { nil: undefined },
  ),
  memory: fc.uniqueArray(fc.constantFrom('learned-patterns', 'progress', 'a1'), { maxLength: 3 }),
  env: fc.dictionary(
    envName,
    fc.oneof(
      fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('${{')),
      fc.constantFrom('1', 'true', '', 'null', '~', '1.10', ' x ', 'a\nb\n', null),
    ),
  ),
  with: jsonObject,
  tools: fc.dictionary(fc.constantFrom('node', 'g++', 'python3'), text),
  contract,
  exports: fc.constantFrom([''], [], ['/a', '/b/c']),
  files: fc.oneof(fc.constant('changed' as const), fc.constant([]), fc.constant(['a', '**/*.x'])),
  retries: fc.integer({ min: 0, max: 10 }),
  timeoutMinutes: fc.double({ min: 0.001, max: 4_320, noNaN: true }),
  reuse: fc.constantFrom('auto', 'never'),
  maxAge: fc.option(
    fc.integer({ min: 1, max: 9_999 }).map((minutes) => minutes * 60_000),
    { nil: undefined },
  ),
  legs,
}) as fc.Arbitrary<unknown> as fc.Arbitrary<Gate>;
/** Any sound pipeline of up to 6 gates. */
export const pipelines: fc.Arbitrary<Pipeline> = fc
  .record({
    id,
    subject: fc.option(text, { nil: undefined }),
    task: fc.option(text, { nil: undefined }),
    metadata: jsonObject,
    maxParallel: fc.integer({ min: 1, max: 256 }),
    workspace,
    snapshots,
    maxReworks: fc.option(fc.nat(1_000), { nil: undefined }),
    learning: fc.constantFrom('propose' as const, 'auto' as const),
    gates: fc.uniqueArray(fc.tuple(id, gate, fc.array(fc.nat(5)), fc.array(envName)), {
      minLength: 1,
      maxLength: 6,
      selector: ([name]) => name,
    }),
    grouped: fc.boolean(),
  })
  .map(({ gates, grouped, task, ...rest }) => {
    const ids = gates.map(([name]) => name);
    return {
      ...rest,
      ...(task !== undefined && { task }),
      groups:
        grouped && !ids.includes('all')
          ? [
              {
                id: 'all',
                gates: ids,
                mode: (['parallel', 'sequential', 'auto'] as const)[ids.length % 3]!,
                ...(ids.length % 2 === 0 && { available: 'test -e team' }),
                onFail: undefined,
              },
            ]
          : [],
      gates: gates.map(([name, each, needs, secrets], index) => ({
        ...each,
        // One that works in the user's folder and hands on files must say what its inputs are.
        inputs: each.workspace === 'in-place' && each.files.length > 0 ? (each.inputs ?? []) : each.inputs,
        id: name,
        number: index,
        needs: ids.filter((_, other) => other < index && needs.includes(other)),
        secrets: [...new Set(secrets)].filter((secret) => !Object.hasOwn(each.env, secret)),
        onFail: undefined,
        approval: undefined,
        legsMaxParallel: each.legs[0]!.id === '' ? undefined : 2,
        failFast: each.legs[0]!.id === '',
        ...(each.legs[0]!.id !== '' && { job: { matrix: { include: each.legs.map(({ matrix }) => matrix) } } }),
      })),
    };
  });

/** A pipeline as the file that defines it. */
export function print(pipeline: Pipeline): string {
  const gates = pipeline.gates.map((each) => {
    const {
      id,
      agent,
      run,
      shell,
      workingDirectory,
      workspace,
      needs,
      if: when,
      inputs,
      memory,
      env,
      tools,
      secrets,
      files,
      retries,
      reuse,
    } = each;
    const { schema, score, threshold, partial, checks } = each.contract;
    const output = {
      schema: schema === undefined ? undefined : 'path' in schema ? schema.path : schema.inline,
      score,
      threshold,
      partial,
      checks,
      exports: each.exports,
    };
    const strategy = {
      matrix: { include: each.legs.map(({ matrix }) => matrix) },
      'max-parallel': 2,
      'fail-fast': false,
    };
    const age = each.maxAge === undefined ? {} : { 'max-age': `${each.maxAge / 60_000}m` };
    const entry = {
      number: each.number,
      agent,
      run,
      shell,
      'working-directory': workingDirectory,
      workspace,
      needs,
      if: when,
      inputs,
      memory,
      env,
      with: each.with,
      tools,
      secrets,
      output,
      files,
      retries,
      'timeout-minutes': each.timeoutMinutes,
      reuse,
      ...age,
    };
    return [id, each.legs[0]!.id === '' ? entry : { ...entry, strategy }];
  });
  const { link, setup, shell, maxUntracked, trees } = pipeline.workspace;
  return stringify({
    pipeline: pipeline.id,
    workspace: { link, setup, 'max-untracked': maxUntracked, trees },
    snapshots: written(pipeline.snapshots),
    defaults: { run: { shell } },
    subject: pipeline.subject,
    task: pipeline.task,
    metadata: pipeline.metadata,
    'max-parallel': pipeline.maxParallel,
    learning: pipeline.learning,
    ...(pipeline.maxReworks !== undefined && { 'max-reworks': pipeline.maxReworks }),
    groups: Object.fromEntries(
      pipeline.groups.map((group) => [
        group.id,
        group.mode === 'auto' && group.available === undefined
          ? group.gates
          : { gates: group.gates, mode: group.mode, available: group.available },
      ]),
    ),
    gates: Object.fromEntries(gates),
  });
}

function written({ every, keep, maxSize, database }: SnapshotSettings): object {
  return {
    every,
    ...(keep !== undefined && { keep }),
    ...(maxSize !== undefined && { 'max-size': maxSize }),
    ...(database && {
      database: {
        snapshot: database.snapshot,
        restore: database.restore,
        'timeout-minutes': database.timeoutMinutes,
      },
    }),
  };
}
