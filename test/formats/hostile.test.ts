import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GatelineError } from '../../src/errors.ts';
import type { SourceFile } from '../../src/formats/format.ts';
import { FORMATS } from '../../src/local/exchange/formats.ts';
import { pipeline, Project } from '../cli/support.ts';
import { EXAMPLE_FILES, STEM } from './state-guide-example.ts';
import { SKILL } from './uasp-example.ts';
import { ORCHESTRATION } from './agent-flow-example.ts';
import { LOOP_STATE } from './dev-loop-example.ts';
import { WORKFLOW } from './nexus-example.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** 10 values, ten times ten times …: 1,000,000 values. */
const BOMB = Array.from({ length: 6 }, (_, n) => `k${n}: &k${n} [${Array(10).fill(n === 0 ? 'x' : `*k${n - 1}`)}]\n`);
const UTF_16 = Buffer.from([0xff, 0xfe, 0x7b, 0]);

/** A JSON file of each system, and a key of it that holds any value. */
const JSON_FILES: readonly (readonly [system: string, path: string, value: object, key: string])[] = [
  ['state-guide', `${STEM}-gate0-output.json`, EXAMPLE_FILES[0]!, 'output'],
  ['dev-loop', 'workflow-state.json', LOOP_STATE, 'task'],
  ['nexus', '.current-workflow.json', WORKFLOW, 'results'],
];
type Change = readonly [
  attack: string,
  change: (text: string, key: string) => string | Buffer,
  message: string | RegExp,
];
const valueOf = (key: string, value: string) => (text: string) =>
  JSON.stringify({ ...(JSON.parse(text) as object), [key]: 'HERE' }).replace('"HERE"', value);
const JSON_ATTACKS: readonly Change[] = [
  ['nothing', () => '', 'the document is empty'],
  ['no JSON', () => '{', '(line 1, column 2)'],
  ['another encoding', () => UTF_16, 'UTF-16, not UTF-8'],
  ['bytes', () => Buffer.from([0, 200, 1]), /not (?:valid )?UTF-8|Unexpected token|token/],
  ['two values', (text) => text + text, 'a second JSON value follows the first'],
  ['a list', () => '[]', 'object'],
  ['null', () => 'null', 'object'],
  ['a value 100 deep', (text, key) => valueOf(key, nested(100))(text), 'nested more than 50 deep'],
  ['a million lists', () => nested(1_000_000), 'nested more than 50 deep'],
  ['a missing key', (text, key) => text.replace(`"${key}"`, '"other"'), /\/(?:output|task|results): /],
  ['65 MiB', () => Buffer.alloc(65 * 1024 ** 2, ' '), 'the files have more than 64 MiB'],
];

const YAML_ATTACKS: readonly Change[] = [
  ['no front matter', () => '# Notes', 'it does not begin with a front matter'],
  ['bytes', () => UTF_16, 'it is not UTF-8'],
  ['aliases of aliases', (text) => text.replace('active', `${BOMB.join('')}active`), 'more than 100000 values'],
  ['a tag', (text) => text.replace('true', '!!js/function "x"'), 'unresolved tag'],
  ['an alias of nothing', (text) => text.replace('true', '*none'), '/active: `*none` is an alias'],
  ['a key twice', (text) => text.replace('active', 'active: false\nactive'), 'the key `active` appears twice'],
  ['__proto__', (text) => text.replace('  exploration:', '  __proto__:'), '/gates: the key `__proto__` is not allowed'],
  ['a merge key', (text) => text.replace('active: true', '<<: {active: true}'), '/active: '],
  ['a text for a number', (text) => text.replace('iteration: 1', 'iteration: "1"'), '/iteration: '],
  ['a value 100 deep', (text) => text.replace('true', nested(100)), 'nested more than 64 deep'],
  ['lists that never end', (text) => text.replace('true', '['.repeat(100_000)), 'nested more than 64 deep'],
  ['a long text', (text) => text.replace('Exploration complete', 'x'.repeat(70_000)), '/gates/exploration/message: '],
  ['65 MiB', () => Buffer.alloc(65 * 1024 ** 2, ' '), 'the files have more than 64 MiB'],
];

const FLOW = ['agent-flow', 'orchestration.local.md', ORCHESTRATION] as const;
const TABLE = [
  ...JSON_FILES.flatMap(([system, path, value, key]) =>
    JSON_ATTACKS.map(([attack, change, message]) => {
      const bytes = () => Buffer.from(change(JSON.stringify(value), key));
      return { system, attack, path, bytes, message };
    }),
  ),
  ...YAML_ATTACKS.map(([attack, change, message]) => {
    const [system, path, text] = FLOW;
    return { system, attack, path, bytes: () => Buffer.from(change(text, '')), message };
  }),
];

describe('reading', () => {
  it.each(TABLE)('refuses for $system, naming the file: $attack', ({ system, path, bytes, message }) => {
    const file: SourceFile = { path, bytes: bytes() };
    let error: Partial<GatelineError> = {};
    try {
      FORMATS[system]!.read([file]);
    } catch (thrown) {
      error = thrown as GatelineError;
    }
    expect(error).toMatchObject({ code: 'IMPORT_REFUSED', fault: 'usage', place: { file: path } });
    expect(error.message).toMatch(message);
    expect(error.message!.startsWith(path)).toBe(true);
  });

  const files = [
    ...JSON_FILES.map(([system, path, value]) => [system, path, JSON.stringify(value, null, 1)] as const),
    FLOW,
  ];
  it.each(files)(
    'takes for %s what editors of other systems write: CRLF, and a mark of the byte order',
    (system, path, text) => {
      const plain = FORMATS[system]!.read([{ path, bytes: Buffer.from(text) }]);
      const edited = `\ufeff${text.replaceAll('\n', '\r\n')}`;
      expect(FORMATS[system]!.read([{ path, bytes: Buffer.from(edited) }])).toEqual(plain);
    },
  );

  it('keeps __proto__ in an output as a key, and changes no object', () => {
    for (const [system, path, value, key] of JSON_FILES) {
      const output =
        system === 'nexus' ? '{"plan": {"__proto__": {"isHostile": true}}}' : '{"__proto__": {"isHostile": true}}';
      const bytes = Buffer.from(valueOf(key, output)(JSON.stringify(value)));
      const run = FORMATS[system]!.read([{ path, bytes }]);
      expect(JSON.stringify(run.gates[0]!.output)).toBe('{"__proto__":{"isHostile":true}}');
      expect({}).not.toHaveProperty('isHostile');
    }
  });
});

describe('gateline import', () => {
  const GATES = { data: { number: 0 }, 'fetch-task': {}, plan: {}, exploration: {} };
  const create = () => new Project({ 'gateline.yml': pipeline(GATES) });
  /** Paths, and what `.state/` holds of runs. */
  const snapshot = (project: Project) =>
    fs
      .readdirSync(project.root, { recursive: true, encoding: 'utf8' })
      .filter(
        (path) => !path.startsWith('.git/') && !/^\.state\/(?!log|content|checkpoints|history|projections)/.test(path),
      )
      .toSorted();
  const contents: readonly (readonly [string, string, string])[] = [
    ...JSON_FILES.map(([system, path, value]) => [system, path, JSON.stringify(value)] as const),
    FLOW,
  ];

  it('refuses links, pipes and files that are too large, and writes nothing', async () => {
    const project = create();
    const outside = join(project.outside, 'secret');
    const [guide] = contents;
    const attacks: readonly (readonly [folder: string, attack: (place: string) => void, message: string])[] = [
      ['link', (place) => fs.symlinkSync(outside, place), 'is a symbolic link'],
      ['nowhere', (place) => fs.symlinkSync('/nowhere', place), 'is a symbolic link'],
      ['pipe', (place) => execFileSync('mkfifo', [place]), 'is not a plain file'],
      ['large', (place) => fs.writeFileSync(place, Buffer.alloc(65 * 1024 ** 2)), 'has more than 64 MiB'],
    ];
    const cases = [
      ...attacks.map((attack) => [guide!, attack] as const),
      ...contents.slice(1).map((content) => [content, attacks[0]!] as const),
    ];
    await project.gateline('status');
    for (const [[system, path, text], [folder, attack, message]] of cases) {
      fs.writeFileSync(outside, text);
      fs.mkdirSync(join(project.root, `${system}-${folder}`));
      attack(join(project.root, `${system}-${folder}`, path));
      const before = snapshot(project);
      await project.expect(`import ${system} ${system}-${folder}`, 2, message, path);
      expect(snapshot(project)).toEqual(before);
    }
    await project.expect(`import ${guide![0]} ${project.outside}`, 2, 'has no files of state-guide');
    project.write(`plain/${guide![1]}`, guide![2]);
    await project.expect(`import ${guide![0]} plain`, 0, 'imported data');
  });

  it('refuses a usual folder that is a link, more files than 10,000, and a folder of the system that is a link', async () => {
    const project = create();
    fs.symlinkSync(project.outside, join(project.root, '.claude'));
    await project.expect('import agent-flow', 2, '.claude is no plain folder', 'name the folder that is meant');
    fs.mkdirSync(join(project.root, 'old'));
    fs.symlinkSync(project.outside, join(project.root, 'old/backups'));
    await project.expect('import nexus old', 2, /old\/backups is a symbolic link/);
    fs.mkdirSync(join(project.root, 'many'));
    for (let n = 0; n < 10_001; n += 1) fs.writeFileSync(join(project.root, `many/s${n}-gate0-output.json`), '');
    await project.expect('import state-guide many', 2, /many has more than 10000 files/);
  });

  it('takes names that are paths for what they are: names of no gate', async () => {
    const project = create();
    const id = '../../etc/passwd';
    project.write('a/orchestration.local.md', ORCHESTRATION.replaceAll('planning:', `"${id}":`));
    await project.expect('import agent-flow a', 0, 'imported exploration', `${id} is no gate of p: left out`);
    const line = { id, workflowName: '/x', userTask: 'x', status: 'COMPLETED', duration: 1, timestamp: 1 };
    project.write('b/executions.jsonl', `${JSON.stringify(line)}\n`);
    await project.expect('import nexus b', 0, 'imported 1 run');
    await project.expect('export nexus --output out', 0);
    expect(fs.readdirSync(project.outside).toSorted()).toEqual(
      ['bin', 'folder', 'gitconfig', 'runs'].filter((name) => fs.existsSync(join(project.outside, name))),
    );
    project.write('c/x-gate0-..-output.json', JSON.stringify(EXAMPLE_FILES[0]));
    await project.expect('import state-guide c', 2, 'gate data has no leg ..');
  });

  it('prints no control characters of the files', async () => {
    const project = create();
    const name = '\u001b]0;x\u0007\u202e';
    const escaped = JSON.stringify(name).slice(1, -1);
    project.write('a/orchestration.local.md', ORCHESTRATION.replaceAll('planning:', `"${escaped}":`));
    project.write('b/.current-workflow.json', JSON.stringify({ ...WORKFLOW, skippedPhases: [name], [name]: 1 }));
    project.write('c/.current-workflow.json', JSON.stringify({ ...WORKFLOW, retries: { [name]: 'x' } }));
    project.write(`d/${name.replaceAll('/', '')}-gate0-output.json`, '{');
    project.write('e.yaml', SKILL.replace('agent-browser login', `agent-browser [${name.replace('\u0007', '')}]`));
    for (const words of ['agent-flow a', 'nexus b', 'nexus c', 'state-guide d', 'uasp e.yaml']) {
      const { out, err } = await project.gateline('import', ...words.split(' '));
      expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      expect((out + err).length).toBeGreaterThan(20);
    }
  });

  it.each<[string, string | Buffer, string | RegExp]>([
    ['nothing', '', /skill\.yaml: .*\n\/: .*object/],
    ['no entities', 'name: x', 'skill.yaml has no entities and no commands'],
    ['bytes', UTF_16, /skill\.yaml/],
    ['aliases of aliases', BOMB.join(''), /skill\.yaml:1.* more than 100000 values/],
    ['a tag', 'name: !!js/function "x"', /skill\.yaml:1.* unresolved tag/],
    ['a key twice', 'commands: {}\ncommands: {}', /skill\.yaml:2.* appears twice/],
    ['__proto__', 'commands: {__proto__: {creates: [a]}}', /skill\.yaml.*`__proto__` is not allowed/],
    ['a wrong type', 'commands: {a: {requires: [1]}}', /skill\.yaml: .*\n\/commands\/a\/requires/],
    ['a path for a name', 'commands: {a: {syntax: a, requires: [../x]}}', '/commands/a/requires'],
    ['a name that no definition can have', 'commands: {"a b": {syntax: a}}', /skill\.yaml\/commands\/a b: /],
    ['lists that never end', `commands: ${'['.repeat(100_000)}`, 'nested more than 64 deep'],
    ['2 MiB', Buffer.alloc(2 * 1024 ** 2, ' '), 'skill.yaml has more than 1 MiB'],
  ])('refuses as a skill: %s', async (_, content, message) => {
    const project = new Project();
    fs.writeFileSync(join(project.root, 'skill.yaml'), content);
    await project.expect('import uasp skill.yaml', 2, message);
    fs.symlinkSync('skill.yaml', join(project.root, 'link.yaml'));
    await project.expect('import uasp link.yaml', 2, 'link.yaml is no plain file');
    expect(project.read('gateline.yml')).toBeUndefined();
  });
});
