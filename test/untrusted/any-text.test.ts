import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseCommentCommand } from '../../src/action/comment-decisions.ts';
import { parseApprovals } from '../../src/action/dispatch-decisions.ts';
import { parseToken } from '../../src/action/gate/gate-job.ts';
import { parseNeeds } from '../../src/action/gate/needs.ts';
import { parseJsonInput, readInputs, variableOf, withSecretValues } from '../../src/action/inputs.ts';
import { parseRework } from '../../src/action/rework.ts';
import { CapturedOutput } from '../../src/agent/captured-output.ts';
import { parseMetrics } from '../../src/agent/metrics.ts';
import { GatelineError } from '../../src/errors.ts';
import { readManifest, readSkill } from '../../src/formats/uasp.ts';
import { queryHistory } from '../../src/history/query.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import { extractJson } from '../../src/json/extract-json.ts';
import { decodeDocument, encodeDocument, HEAD_FIELDS, type StoredValue } from '../../src/langgraph/document.ts';
import { FORMATS } from '../../src/local/exchange/formats.ts';
import { IF_CONTEXTS } from '../../src/pipeline/expression.ts';
import { parseOutputReference } from '../../src/pipeline/matrix.ts';
import { globProblem } from '../../src/pipeline/paths.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { parseSet } from '../../src/pipeline/set.ts';
import { parseMarker } from '../../src/report/github/comment.ts';
import { addItems, newItems, readLearnings } from '../../src/run/memory.ts';
import * as document from '../../src/store/github/document.ts';
import { parsePointerKey, pointerKey } from '../../src/store/github/pointer.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { evaluateCondition, parseCondition } from '../../src/verdict/expression.ts';
import { compileSchema } from '../../src/verdict/schema.ts';
import { createMatcher } from '../../src/workspace/globs.ts';
import { findPathProblem, isInnerLink } from '../../src/workspace/paths.ts';
import { EXAMPLE_FILES, STEM } from '../formats/state-guide-example.ts';
import { SKILL } from '../formats/uasp-example.ts';
import { ORCHESTRATION } from '../formats/agent-flow-example.ts';
import { LOOP_STATE } from '../formats/dev-loop-example.ts';
import { WORKFLOW } from '../formats/nexus-example.ts';
import { jsonValues } from '../verdict/json-values.ts';
import { ALL_HOSTILE } from './hostile.ts';
import { TOKENS } from './tokens.ts';

const DIGEST = digestOf('a');
const bytesOf = (text: string) => new TextEncoder().encode(text);
const reading = (system: string, path: string) => (text: string) =>
  FORMATS[system]!.read([{ path, bytes: bytesOf(text) }]);
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** What reads text that others wrote, with an example that it takes. */
const READERS: Readonly<Record<string, readonly [example: string, read: (text: string) => unknown]>> = {
  'a pipeline': [
    'gates:\n  a: {run: x, needs: [b], checks: ["output.a == 1"]}\n  b: {}',
    (text) => parsePipeline(text, 'f'),
  ],
  'a set': ['subjects:\n  - {id: a}\n  - {id: b, needs: a}', (text) => parseSet(text, 'f')],
  'a condition': [
    "needs.a.output.b[0] == 'x' && !contains(metadata.c.*, 1)",
    (text) => evaluateCondition(parseCondition(text, IF_CONTEXTS), { needs: { a: { output: { b: ['x'] } } } }),
  ],
  'JSON in an answer': ['Here:\n```json\n{"a": [1, "x"]}\n```\nDone.', extractJson],
  'lines of a history': [`${JSON.stringify({ v: 1, pipeline: 'a', run: 1, units: [] })}\n`, queryHistory],
  'metrics of an agent': [
    '{"type":"system","model":"x"}\n{"type":"result","usage":{"input_tokens":1},"total_cost_usd":1}',
    (text) => parseMetrics({ state: 'present', bytes: bytesOf(text) }),
  ],
  learnings: ['# L\n\n## Tests\n- [ ] use fixtures <!-- learned 0123456789ab -->\n', readLearnings],
  'a comment': [`/gateline approve review/a ${'0'.repeat(32)} looks fine\nmore`, parseCommentCommand],
  'the approvals of a dispatch': [`plan ${'0'.repeat(32)}, test/a ${'1'.repeat(32)}`, parseApprovals],
  'the marker of a comment': ['<!-- gateline-comment/1 0123456789abcdef 12.3 ended -->\nreport', parseMarker],
  'the inputs of a step': [
    '95',
    (text) =>
      ['threshold', 'outage-minutes', 'checks', 'secrets', 'needs', 'resume'].map((name) =>
        readInputs('gate', { 'INPUT_GITHUB-TOKEN': 'x', [variableOf(name)]: text }),
      ),
  ],
  'the value of an input': ['{"a": 1}', parseJsonInput],
  'secret values': ['TOKEN=abc\n  OTHER_1= x=y', (text) => withSecretValues({}, text, ['TOKEN'])],
  'the jobs before': [`{"a":{"result":"success","outputs":{"attempt":"1@${DIGEST}"}}}`, parseNeeds],
  'the work that was sent back': [
    '{"gate":"a","iteration":2,"runId":1,"causes":[{"unit":"a","attempt":"1"}]}',
    parseRework,
  ],
  'a token': [
    Buffer.from(`{"state":"x","digest":"${DIGEST}","token":"","outageMs":1}`).toString('base64url'),
    parseToken,
  ],
  'the name of an artifact': ['gateline.p.g.l.1.abc.json', document.parseArtifactName],
  'the key of a pointer': [
    pointerKey(DIGEST, { runId: 1, runAttempt: 1, digest: DIGEST }),
    (key) => parsePointerKey(key, DIGEST),
  ],
  'a reference': [`12@${DIGEST}`, document.parseReference],
  'a glob': ['!src/**/{a,b}/?(x|y)[a-z]*.ts', (glob) => globProblem(glob) ?? createMatcher([glob])(`src/${glob}`)],
  'a path': ['src/a.ts', (path) => [findPathProblem(path), isInnerLink(path, path)]],
  'a value of an expression': ["${{ needs.plan.output.list[0]['a b'] }}", parseOutputReference],
  'a manifest': [
    '{"loaded_skills": [{"name": "a", "state": {"page": {"valid": true, "has_value": true}}}]}',
    (text) => readManifest(parseJson(text), 'a'),
  ],
  'a skill': [SKILL, (text) => readSkill(text === SKILL ? parse(text) : parseJson(text))],
  'a state file': [JSON.stringify(EXAMPLE_FILES[0]), reading('state-guide', `${STEM}-gate0-output.json`)],
  'an orchestration': [ORCHESTRATION, reading('agent-flow', 'orchestration.local.md')],
  'the state of a loop': [JSON.stringify(LOOP_STATE), reading('dev-loop', 'workflow-state.json')],
  'a workflow': [JSON.stringify(WORKFLOW), reading('nexus', '.current-workflow.json')],
};

/** The syntax of all of them. */
const PARTS = Array.from('{}[](),:;.!?*+-=#&|@/\\\'"`~<>$%^_ \n\r\t\0\u2028').concat(
  ...[
    '---\n',
    '```',
    '${{',
    '}}',
    '__proto__',
    'null',
    'true',
    '1e999',
    '-1',
    '\\u0000',
    '\ud800',
    '../',
    '.git',
    '*'.repeat(9),
  ],
);
const part = fc.oneof(fc.constantFrom(...PARTS, ...ALL_HOSTILE), fc.string({ unit: 'binary', maxLength: 5 }));

/** Any text, and an example with some changes. */
const textLike = (example: string): fc.Arbitrary<string> => {
  const edits = fc.array(fc.tuple(fc.nat(example.length), fc.nat(9), part), { maxLength: 3 });
  const edited = edits.map((list) =>
    list.reduce((text, [at, length, added]) => text.slice(0, at) + added + text.slice(at + length), example),
  );
  return fc.oneof(
    fc.array(part).map((parts) => parts.join('')),
    { arbitrary: edited, weight: 3 },
  );
};

it.each(Object.entries(READERS))('%s, whatever the text, is read or refused', (_, [example, read]) => {
  read(example);
  const check = (text: string): void => {
    try {
      read(text);
    } catch (error) {
      expect(error).toBeInstanceOf(GatelineError);
      expect(error).toMatchObject({ fault: 'usage', message: expect.stringMatching(/\S/) as string });
    }
  };
  fc.assert(fc.property(textLike(example), check));
  // Whoever writes it cannot make the reader work forever.
  for (const text of ['[', '{"', '- ', '(', '"\\', '#', 'a.', '*/']) check(text.repeat(20_000));
});

const count = fc.integer({ min: 1, max: 999_999 });
const digest = fc.string().map(digestOf);
const id = fc.stringMatching(/^[a-z][\w-]{0,20}$/);

it('names on GitHub are read back as they were written', () => {
  const check = (artifactId: number, runAttempt: number, [a, b]: [Digest, Digest], [pipeline, gate, leg]: string[]) => {
    const reference = { artifactId, digest: a };
    expect(document.parseReference(document.formatReference(reference))).toEqual(reference);
    const pointer = { runId: artifactId, runAttempt, digest: b };
    expect(parsePointerKey(pointerKey(a, pointer), a)).toEqual(pointer);
    expect(parsePointerKey(pointerKey(a, pointer), digestOf('other'))).toBeUndefined();
    const name = { pipeline: pipeline!, gate: gate!, leg: leg!, runAttempt };
    expect(document.parseArtifactName(document.artifactName(name, 'a1'))).toEqual(name);
    const line = `/gateline reject ${gate}/${leg} ${document.approvalDigest(a, b)} not today`;
    expect(parseCommentCommand(line)).toMatchObject({ command: 'reject', unit: `${gate}/${leg}`, reason: 'not today' });
  };
  fc.assert(fc.property(count, count, fc.tuple(digest, digest), fc.tuple(id, id, id), check));
});

it('what an agent learned is an item of the document, once, and changes nothing else in it', () => {
  const [, [example]] = Object.entries(READERS).find(([name]) => name === 'learnings')!;
  const check = (text: string, before: string): void => {
    const items = readLearnings(text);
    const document = addItems(before, items);
    expect(newItems(items, document)).toEqual([]);
    expect(addItems(document, items)).toBe(document);
    const added = new Set(['', ...items.flatMap((item) => [`- ${item.text}`, `## ${item.heading}`])]);
    const others = (text: string) =>
      text
        .trimEnd()
        .split(/\r?\n/)
        .filter((line) => !added.has(line));
    expect(others(document)).toEqual(others(before));
  };
  fc.assert(fc.property(textLike(example), textLike(example), check));
});

it('a document of LangGraph is read back as it was written, and refused if it was changed', () => {
  const schema = z.object(HEAD_FIELDS);
  const values = fc.array(
    fc.record({ name: fc.string(), type: fc.constantFrom('json', 'bytes'), bytes: fc.uint8Array().map(Buffer.from) }),
  );
  const check = (list: readonly StoredValue[], at: number, added: string): void => {
    const bytes = encodeDocument({ head: {}, values: list });
    expect(decodeDocument(bytes, schema).values).toEqual(list);
    const place = at % bytes.length;
    const changed = Buffer.concat([bytes.subarray(0, place), Buffer.from(added), bytes.subarray(place)]);
    try {
      decodeDocument(changed, schema);
    } catch (error) {
      expect(error).toMatchObject({ name: 'Error', message: expect.stringMatching(/line|end/) as string });
    }
    expect(() => decodeDocument(bytes.subarray(0, place), schema)).toThrow(/line|end/);
  };
  fc.assert(fc.property(values, fc.nat(), part, check));
});

it('a schema, whatever it is, judges values or has problems', async () => {
  const keyword = fc.constantFrom(
    ...[
      'type',
      'properties',
      'items',
      'anyOf',
      'not',
      'pattern',
      'format',
      'enum',
      'required',
      'minimum',
      '$ref',
      '$id',
    ],
  );
  const value = fc.oneof(jsonValues, fc.constantFrom('string', 'date', '#', '[', ['a'], { a: { type: 'null' } }, [{}]));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(keyword, value, { maxKeys: 3 }), jsonValues, async (schema, output) => {
      const compiled = await compileSchema(schema);
      if ('problems' in compiled) expect(compiled.problems[0]).toMatchObject({ message: expect.any(String) as string });
      else expect(Array.isArray(compiled.validate(output))).toBe(true);
    }),
  );
});

it('the output of an agent shows no secret, in whichever pieces it comes', () => {
  const secrets = ['hunter2-hunter2', TOKENS['npm']!, 'first line of it\nsecond line of it'];
  const redactor = createRedactor({ A: secrets[0]!, B: secrets[2]! });
  const text = fc.oneof(
    part,
    fc.constantFrom(...secrets, 'hunter2\u001b[31m-hunter2', 'hunter2-\0hunter2', '\r\n', ' '),
  );
  const check = (parts: readonly string[], size: number): void => {
    const lines: string[] = [];
    const output = new CapturedOutput(redactor, (line) => lines.push(line));
    const bytes = bytesOf(parts.join('\n'));
    for (let at = 0; at < bytes.length; at += size) output.add(bytes.subarray(at, at + size));
    const kept = output.end();
    for (const secret of secrets) expect(`${kept}\n${lines.join('\n')}`).not.toContain(secret);
  };
  fc.assert(fc.property(fc.array(text), fc.integer({ min: 1, max: 40 }), check));
});
