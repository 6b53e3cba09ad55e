import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { Metrics } from '../run/records/metrics.ts';

/**
 * What Claude Code says that a session cost: the message of type `result` that `claude --output-format json` prints, or
 * the list of messages that ends with it, as in the execution file of its action. A list without such a message still
 * names its session. Values of another kind are left out.
 *
 * @returns `undefined`: it is neither of the two
 */
export function metricsOfClaudeCode(value: JsonValue): Metrics | undefined {
  const messages = (Array.isArray(value) ? value : [value]).filter(isMessage);
  const result = messages.findLast(({ type }) => type === 'result');
  if (result === undefined && !(Array.isArray(value) && messages.length > 0)) return undefined;
  const begun = messages.find(({ type, subtype }) => type === 'system' && subtype === 'init');
  const session = textOf(result?.['session_id']) ?? textOf(begun?.['session_id']);
  const model = textOf(begun?.['model']) ?? modelsOf(result?.['modelUsage']);
  const costUsd = amountOf(result?.['total_cost_usd']);
  return {
    ...(model !== undefined && { model }),
    ...(session !== undefined && { session }),
    ...(costUsd !== undefined && { costUsd }),
    ...tokensOf(result?.['usage']),
  };
}

function isMessage(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && typeof value['type'] === 'string';
}

/** Input that was written to or read from the cache of prompts is input, too. */
function tokensOf(usage: JsonValue | undefined): Pick<Metrics, 'inputTokens' | 'outputTokens'> {
  if (!isJsonObject(usage)) return {};
  const { input_tokens: plain, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  const input = [plain, written, read].flatMap((one) => amountOf(one) ?? []);
  const outputTokens = amountOf(usage['output_tokens']);
  return {
    ...(input.length > 0 && { inputTokens: input.reduce((sum, one) => sum + one, 0) }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

/** The keys of `modelUsage`. */
function modelsOf(usage: JsonValue | undefined): string | undefined {
  return isJsonObject(usage) ? textOf(Object.keys(usage).join(', ')) : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT ? value : undefined;
}

/** What {@link Metrics} takes. */
const MAX_TEXT = 200;

function amountOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}
