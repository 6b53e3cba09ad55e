import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { compiled } from './compiled.ts';
import { drawn } from '../support/samples.ts';

const EVIL = '${{ github.event.pull_request.title }}';
const gate = (keys: object): object => ({ gates: { a: { run: 'x', ...keys } } });
const uses = (keys: object): object => ({ gates: { a: { uses: { action: 'o/a@v1', ...keys } } } });

describe('a definition is refused', () => {
  it.each<[string, object]>([
    ['EXPRESSION_NOT_ALLOWED', { ...gate({}), on: { push: { branches: [EVIL] } } }],
    ['EXPRESSION_NOT_ALLOWED', { ...gate({}), on: { push: { [EVIL]: ['x'] } } }],
    ['VALUE_INVALID', { ...gate({}), on: { workflow_call: {} } }],
    ['VALUE_INVALID', { ...gate({}), on: 'everything' }],
    ['EXPRESSION_NAME', { ...gate({}), workflow: { env: { A: EVIL } } }],
    ['EXPRESSION_NAME', { ...gate({}), workflow: { env: { A: '${{ secrets.ALL }}' } } }],
    ['EXPRESSION_NAME', gate({ 'runs-on': EVIL })],
    ['EXPRESSION_NAME', gate({ 'runs-on': ['self-hosted', '${{ needs.b.outputs.runner }}'] })],
    ['EXPRESSION_NAME', { ...gate({}), 'runs-on': { group: '${{ steps.x.outputs.y }}' } }],
    ['EXPRESSION_NAME', gate({ container: { image: 'node:24', options: EVIL } })],
    ['EXPRESSION_NAME', gate({ container: '${{ needs.b.outputs.image }}' })],
    ['EXPRESSION_NAME', gate({ services: { db: { image: EVIL } } })],
    ['EXPRESSION_NAME', gate({ environment: { name: 'x', url: EVIL } })],
    ['EXPRESSION_NAME', gate({ environment: '${{ github.head_ref }}' })],
    ['EXPRESSION_NAME', gate({ environment: '${{ secrets.NAME }}' })],
    ['EXPRESSION_INVALID', gate({ environment: 'a ${{ vars.A' })],
    ['EXPRESSION_INVALID', gate({ environment: '${{ vars. }}' })],
    ['EXPRESSION_FUNCTION', uses({ with: { prompt: '${{ run(1) }}' } })],
    ['EXPRESSION_NOT_ALLOWED', gate({ 'steps-before': [{ run: `echo ${EVIL}` }] })],
    ['EXPRESSION_NOT_ALLOWED', gate({ 'steps-before': [{ run: 'x', name: EVIL }] })],
    ['EXPRESSION_NOT_ALLOWED', gate({ 'steps-before': [{ run: 'x', shell: `${EVIL} {0}` }] })],
    ['EXPRESSION_NOT_ALLOWED', gate({ strategy: { matrix: { a: [EVIL] } } })],
    ['EXPRESSION_NOT_ALLOWED', gate({ strategy: { matrix: { a: [{ deep: { deeper: EVIL } }] } } })],
    ['EXPRESSION_NOT_ALLOWED', gate({ strategy: { matrix: { a: [{ [EVIL]: 1 }] } } })],
    ['EXPRESSION_NOT_ALLOWED', gate({ env: { A: EVIL } })],
    ['EXPRESSION_MIXED', uses({ output: 'a ${{ steps.agent.outputs.x }}' })],
    ['EXPRESSION_MIXED', uses({ output: "1 }} ${{ secrets.X '" })],
    ['EXPRESSION_INVALID', uses({ output: '1 }} x' })],
    ['EXPRESSION_MIXED', uses({ metrics: "1 }} ${{ secrets.X '" })],
    ['EXPRESSION_INVALID', uses({ metrics: '1 }} x' })],
    ['VALUE_INVALID', { gates: { a: { uses: { action: `o/a@${EVIL}` } } } }],
    ['VALUE_INVALID', { gates: { a: { uses: { action: 'o/a' } } } }],
    ['VALUE_INVALID', { gates: { a: { uses: { action: 'o/a@v1\n' } } } }],
    ['NAME_INVALID', uses({ with: { 'a: b': 'x' } })],
    ['NAME_INVALID', gate({ services: { [EVIL]: 'x' } })],
    ['VALUE_INVALID', gate({ permissions: { checks: 'write' } })],
    ['VALUE_INVALID', gate({ permissions: { actions: 'write' } })],
    ['VALUE_INVALID', gate({ permissions: { statuses: 'write' } })],
    ['VALUE_INVALID', gate({ permissions: 'write-all' })],
    ['USES_AND_RUN', { gates: { a: { run: 'x', uses: { action: 'o/a@v1' } } } }],
    ['USES_AND_RUN', gate({ local: 'x' })],
    ['STEP_ID_TAKEN', gate({ 'steps-before': [{ id: 'Gate', run: 'x' }] })],
    [
      'STEP_ID_TAKEN',
      {
        ...gate({}),
        'steps-before': [
          { id: 'x', run: 'x' },
          { id: 'x', run: 'x' },
        ],
      },
    ],
    ['VALUE_INVALID', gate({ 'steps-before': [{ run: 'x', uses: 'o/a@v1' }] })],
  ])('as %s: %j', (code, definition) => {
    const parsed = parsePipeline(JSON.stringify(definition, null, 1), 'gateline.yml');
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.code)).toContain(code);
  });
});

/** Texts that break out of what is careless with YAML, shells or expressions. */
const nasty = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '\n',
        '\n- ',
        '\n  x: ',
        ': ',
        ' #',
        '&a',
        '*a',
        '<<',
        '!!str ',
        '|',
        '>',
        '{',
        '}}',
        '${',
        '%',
        '@',
        '`',
        '\t',
        '\r',
        '\u2028',
        '\u0085',
        '\u001b[2J',
        'yes',
        'null',
        '~',
        '0x1F',
        '1e3',
        '12:30',
        '-',
        '? ',
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.join('')),
);
const text = nasty.filter((one) => /\S/.test(one) && !one.includes('\0') && !one.includes('${{') && one.isWellFormed());

describe('any text of a definition', () => {
  it('is the same text in the workflow, whichever version of YAML reads it, and nothing else changes', () => {
    const plain = 'p';
    const build = (one: string): object => ({
      pipeline: 'p',
      on: { push: { branches: [one] }, pull_request: null },
      workflow: { env: { A: one } },
      'steps-before': [{ name: one, run: one, env: { B: one }, with: undefined }],
      gates: {
        a: {
          run: one,
          agent: one,
          env: { C: one },
          environment: { name: one, url: one },
          container: { image: one, options: one },
          strategy: { matrix: { key: [one, { [plain]: one }] } },
        },
        b: { uses: { action: 'o/a@v1', with: { prompt: one } }, env: { D: one }, needs: 'a' },
      },
    });
    const like = JSON.stringify(parse(compiled(JSON.stringify(build('@@'))).text));
    fc.assert(
      fc.property(text, (one) => {
        const workflow = compiled(JSON.stringify(build(one))).text;
        const expected = JSON.parse(like, (_key, value: unknown) => (value === '@@' ? one : value)) as object;
        expect(parse(workflow)).toEqual(expected);
        const { true: on, ...old } = parse(workflow, { version: '1.1' }) as Record<string, object>;
        expect({ ...old, on }).toEqual(expected);
      }),
      // YAML ended a list at this text.
      { ...drawn(300), examples: [["-\n- '"]] },
    );
  });
});
