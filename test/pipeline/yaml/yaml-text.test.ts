import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { describe, expect, it } from 'vitest';
import { editedDefinition } from '../../../src/local/exchange/definition.ts';
import { definePipeline } from '../../../src/local/define-pipeline.ts';
import { readSource } from '../../../src/pipeline/yaml/read-source.ts';
import { yamlText } from '../../../src/pipeline/yaml/yaml-text.ts';
import { drawn } from '../../support/samples.ts';
import { outputs, texts } from '../../formats/arbitrary-values.ts';

const ODD = 'a\u0085\u009b\u007f\u0000\ufffe\uffff\r\n b';

describe('a value as YAML', () => {
  it('is read again, whatever characters its texts have', () => {
    const word = texts.filter((text) => text.isWellFormed());
    const some = fc.oneof(
      outputs,
      word,
      fc.dictionary(
        word.filter((text) => text !== '__proto__' && text !== '<<'),
        word,
      ),
    );
    fc.assert(
      fc.property(some, (value) => {
        const text = yamlText({ value });
        const { value: read, problems } = readSource(text, 'x.yml');
        expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
        // Values that are read have no prototype.
        expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify({ value })));
      }),
      drawn(500),
    );
  });

  it('has escapes only where YAML allows no character, and can be added to a definition', () => {
    expect(yamlText({ a: 'é\u0085', b: ODD })).toBe(
      `a: "é\u0085"\nb: "a\u0085\\u009b\\u007f\\0\\ufffe\\uffff\\r\\n b"\n`,
    );
    const text = editedDefinition('# mine\ngates: {}\n', { task: ODD });
    expect(text).toMatch(/^# mine\n/);
    expect(parseDocument(text).get('task')).toBe(ODD);
    expect(readSource(text, 'x.yml')).toMatchObject({ value: { task: ODD }, problems: [] });
    expect(definePipeline({ metadata: { odd: ODD }, gates: { none: {} } }).metadata).toEqual({ odd: ODD });
  });
});
