import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import { expectSafe } from '../../report/github/safe-markdown.ts';
import { bySize, someOf, spread } from '../../support/test-size.ts';
import { RIGHT_VALUE, TIME_LIMITS, twoGates, type TwoGates } from '../faults/two-gates.ts';
import { ACTION, GateJobs, messagesOf, stepOf, WORKFLOW } from '../gate-jobs.ts';
import { Forger } from './forgery.ts';

/** A text of JSON with something in the place of its value. */
const having = (value: string): string => `{"score":90,"x":${value}}`;
const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(',');

/** Bytes that an agent writes as its output, and what its gate comes to: a kind of failure, or `passed`. */
const BYTES: Readonly<Record<string, readonly [Buffer | string, string]>> = {
  nothing: ['', 'missing'],
  'white space': [' \n\t ', 'missing'],
  'a key of prototypes': ['{"score":90,"__proto__":{"polluted":1}}', 'malformed'],
  'a key of prototypes, spelt otherwise': ['{"score":90,"\\u005f_proto__":{"polluted":1}}', 'malformed'],
  'a key of prototypes, far inside': [having('[[{"a":{"__proto__":{"toString":1}}}]]'), 'malformed'],
  'the key of a constructor': [having('{"constructor":{"prototype":{"polluted":1}}}'), 'passed'],
  'a thousand arrays in one another': [having('['.repeat(1_000) + ']'.repeat(1_000)), 'too-large'],
  'a thousand objects in one another': [having('{"a":'.repeat(1_000) + '1' + '}'.repeat(1_000)), 'too-large'],
  'a million arrays in one another': ['['.repeat(1_000_000), 'too-large'],
  'a key twice': ['{"score":10,"score":90}', 'malformed'],
  'a key twice, spelt otherwise': ['{"score":10,"sc\\u006fre":90}', 'malformed'],
  'no number': ['{"score":NaN}', 'malformed'],
  'more than all numbers': ['{"score":Infinity}', 'malformed'],
  'a number without a value': ['{"score":1e999}', 'malformed'],
  'a number of a million digits': [having('9'.repeat(1_000_000)), 'malformed'],
  'a whole number that no number is': [having('12345678901234567890'), 'passed'],
  'a score that is a text': ['{"score":"90"}', 'schema'],
  'a score that is a list': ['{"score":[90]}', 'schema'],
  'a score above a hundred': ['{"score":900}', 'score'],
  'a score below nothing': ['{"score":-1}', 'score'],
  'a mark of the byte order': ['\ufeff{"score":90}', 'passed'],
  'two bytes a character': [Buffer.from('\ufeff{"score":90}', 'utf16le'), 'malformed'],
  'an end of a text inside': ['{"score":90}\0', 'malformed'],
  'an end of a text in a text': [having('"a\0b"'), 'malformed'],
  'bytes that are no text': [
    Buffer.concat([Buffer.from('{"score":90,"x":"'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"}')]),
    'malformed',
  ],
  'half of a character': [having('"\\ud83d"'), 'malformed'],
  'a hundred thousand keys': [`{"score":90,${keys(100_000)}}`, 'passed'],
  'a comment': ['{"score":90} // all is well', 'malformed'],
  'a comma too many': ['{"score":90,}', 'malformed'],
  'single quotes': ["{'score':90}", 'malformed'],
  'two documents': ['{"score":10}\n{"score":90}', 'malformed'],
  'a fence around it': ['```json\n{"score":90}\n```', 'malformed'],
  'a list': ['[90]', 'schema'],
  'a text': ['"{\\"score\\":90}"', 'schema'],
  'a null': ['null', 'schema'],
  'an end before the end': ['{"score":90', 'malformed'],
};

const AGENT = `
import { copyFileSync } from 'node:fs';
copyFileSync(process.env.BYTES_FILE, process.env.GATELINE_OUTPUT);
if (process.env.METRICS_FILE) copyFileSync(process.env.METRICS_FILE, process.env.GATELINE_METRICS);
`;

const JOBS = `
on: push
jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { run: node agents/copy.mjs, schema: schema.json, score: /score, inputs: '[]', expose-output: true, cache: off }
`;

let template: GateJobs;
let gates: TwoGates;
beforeAll(async () => {
  const schema = { type: 'object', required: ['score'], properties: { score: { type: 'number' } } };
  const files = { [WORKFLOW]: JOBS, 'schema.json': JSON.stringify(schema), 'agents/copy.mjs': AGENT };
  template = await GateJobs.create(files, { how: 'mostly here' });
  gates = await twoGates('mostly here');
});
afterAll(async () => {
  await template[Symbol.asyncDispose]();
  await gates[Symbol.asyncDispose]();
});

describe('JSON that an agent writes as its output', () => {
  it.concurrent.each(someOf(Object.entries(BYTES), 9))(
    'is judged, and nothing else comes of it: %s',
    async (name, [bytes, kind]) => {
      await using jobs = await template.fork(name.replaceAll(/\W+/g, '-'));
      const file = template.repository.beside(`${name.replaceAll(/\W+/g, '-')}.bytes`);
      await writeFile(file, bytes);
      const report = await jobs.run('review', { machine: { BYTES_FILE: file } });
      const gate = stepOf(report, 'gate');
      const passed = kind === 'passed';
      const ended = jobs.records().find((one) => one.kind === 'ended');
      expect([ended?.kind === 'ended' && ended.verdict.kind, gate.code, gate.outputs['passed']]).toEqual([
        kind,
        passed ? 0 : 1,
        String(passed),
      ]);
      expect(messagesOf(report).filter((line) => /INTERNAL|bug/.test(line))).toEqual([]);
      if (!passed) expect(gate.outputs['value']).toBeUndefined();
      expectSafe(gate.summary, 'https://github.com/octo/gates/');
    },
  );

  it.concurrent.each(spread(Object.entries(BYTES), bySize({ sample: 2, full: 12 })))(
    'as metrics, makes no gate red: %s',
    async (name, [bytes]) => {
      await using jobs = await template.fork(`metrics-${name.replaceAll(/\W+/g, '-')}`);
      const beside = (what: string): string => template.repository.beside(`m-${name.replaceAll(/\W+/g, '-')}.${what}`);
      await writeFile(beside('bytes'), '{"score":90}');
      await writeFile(beside('metrics'), bytes);
      const machine = { BYTES_FILE: beside('bytes'), METRICS_FILE: beside('metrics') };
      const report = await jobs.run('review', { machine });
      expect([report.conclusion, messagesOf(report).filter((line) => line.startsWith('error'))]).toEqual([
        'success',
        [],
      ]);
      expectSafe(stepOf(report, 'gate').summary, 'https://github.com/octo/gates/');
    },
  );
});

/** What stands where the record of the gate before should be. */
const DOCUMENTS: Readonly<Record<string, (right: string) => Buffer | string>> = {
  'a key of prototypes': (right) => right.replace('"record":{', '"record":{"__proto__":{"kind":"ended"},'),
  'a key twice': (right) => right.replace('"record":{', '"record":{"gate":"code",'),
  'an unknown key': (right) => right.replace('"record":{', '"record":{"trusted":true,'),
  'a thousand arrays in one another': (right) =>
    right.replace('"contents":{', `"contents":{"x":${'['.repeat(1_000)}${']'.repeat(1_000)},`),
  'a million arrays in one another': () => '['.repeat(1_000_000),
  'a version of tomorrow': (right) => right.replace('gateline-artifact/1', 'gateline-artifact/2'),
  'a mark of the byte order': (right) => `\ufeff${right}`,
  'an end of a text': (right) => `${right}\0`,
  'bytes that are no text': (right) => Buffer.concat([Buffer.from(right), Buffer.from([0xff])]),
  'an end before the end': (right) => right.slice(0, -20),
  'a hundred thousand contents': (right) => right.replace('"contents":{', `"contents":{${keys(100_000)},`),
  'a null': () => 'null',
  'a list': (right) => `[${right}]`,
  'a number without a value': (right) => right.replace(/"score":\d+/, '"score":1e999'),
};

describe('JSON in the place of a record', () => {
  it.concurrent.each(someOf(Object.entries(DOCUMENTS), 4))(
    'is the right record or unknown, and never another: %s',
    async (name, make) => {
      await using jobs = await gates.jobs.fork(`document-${name.replaceAll(/\W+/g, '-')}`);
      const forger = new Forger(jobs);
      const { name: right } = forger.find(/\.plan\..*ended\..*json$/);
      const text = JSON.stringify(forger.end());
      forger.remove(/\.plan\..*ended\..*json$/);
      const changed = make(text);
      expect(changed).not.toBe(text);
      forger.put(right, changed);
      const report = await jobs.run('code', { needs: gates.needs, machine: TIME_LIMITS });
      const errors = messagesOf(report).filter((line) => line.startsWith('error'));
      if (report.conclusion === 'success') {
        const values = jobs
          .records()
          .flatMap((one) => (one.kind === 'ended' && one.gate === 'code' ? [one.value?.digest] : []));
        expect(values).toEqual([digestOf(JSON.stringify(RIGHT_VALUE))]);
        expect(['a key of prototypes', 'a key twice']).toContain(name);
      } else {
        expect(errors).toEqual([
          expect.stringMatching(
            name === 'a version of tomorrow'
              ? /^error Gateline: configuration error: RECORD_TOO_NEW/
              : /^error Gate blocked: a record of a needed gate cannot be read: UPSTREAM_UNREADABLE/,
          ),
        ]);
        expect(await jobs.starts()).toEqual([]);
      }
    },
  );
});
