import { describe, expect, it } from 'vitest';
import { metricsOfClaudeCode } from '../../src/formats/claude-code-result.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { metricsSchema } from '../../src/run/records/metrics.ts';

const result = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 41_000,
  num_turns: 7,
  session_id: 'f6ff4d6a',
  total_cost_usd: 0.123,
  usage: { input_tokens: 12, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 30_000, output_tokens: 450 },
  structured_output: { ok: true },
};
const costs = { session: 'f6ff4d6a', costUsd: 0.123, inputTokens: 31_012, outputTokens: 450 };
const begun = { type: 'system', subtype: 'init', session_id: 'f6ff4d6a', model: 'claude-x', tools: ['Read'] };

describe('what Claude Code says that a session cost', () => {
  const cases: readonly (readonly [string, JsonValue, unknown])[] = [
    ['a result', result, costs],
    ['a result with its models', { ...result, modelUsage: { a: {}, b: {} } }, { ...costs, model: 'a, b' }],
    ['an execution file', [begun, { type: 'assistant', message: {} }, result], { ...costs, model: 'claude-x' }],
    ['the last of two results', [{ ...result, total_cost_usd: 9 }, result], costs],
    ['a session that ended early', [begun, { type: 'user' }], { model: 'claude-x', session: 'f6ff4d6a' }],
    ['metrics of ours', { model: 'm', costUsd: 1 }, undefined],
    ['an empty list', [], undefined],
    ['a list of others', [1, null, 'x', [result], { type: 2 }], undefined],
    ['a text', 'result', undefined],
  ];
  it.each(cases)('%s', (_, value, expected) => {
    expect(metricsOfClaudeCode(value)).toEqual(expected);
  });

  it('leaves out what is of another kind, so that the rest is used', () => {
    const odd = { ...begun, model: 'm'.repeat(201), session_id: { id: 1 } };
    const wrong: JsonValue = {
      ...result,
      session_id: ['x'],
      total_cost_usd: -1,
      modelUsage: 3,
      usage: { input_tokens: '12', cache_read_input_tokens: -1, output_tokens: 5 },
    };
    const metrics = metricsOfClaudeCode([odd, wrong]);
    expect(metrics).toEqual({ outputTokens: 5 });
    expect(metricsSchema.parse(metrics)).toEqual(metrics);
  });
});
