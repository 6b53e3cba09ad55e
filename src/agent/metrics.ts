import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { metricsSchema, type Metrics } from '../run/entry.ts';
import type { AgentFile } from './agent.ts';

/** Metrics that an agent reported. `notice`: what was ignored, one sentence without a full stop. */
export interface ReportedMetrics {
  readonly metrics?: Metrics;
  readonly notice?: string;
}

/**
 * Reads the file of GATELINE_METRICS: our fields (docs/reference/agent-protocol.md), what `claude --output-format json` or
 * `stream-json` prints, or the execution file of Claude Code's action. Never throws: wrong values are left out.
 */
export function parseMetrics(file: AgentFile): ReportedMetrics {
  if (file.state === 'absent') return {};
  if (file.state === 'refused') return { notice: `the metrics are ignored: ${file.reason}` };
  if (file.state === 'too-large') return { notice: `the metrics are ignored: the file has ${file.size} bytes` };
  const parsed = parseJson(file.bytes);
  const messages = parsed.ok ? messagesOf(parsed.value) : messagesOfStream(Buffer.from(file.bytes).toString());
  if (messages.length > 0) return pickFields(totalsOf(messages));
  if (!parsed.ok) return { notice: `the metrics are ignored: ${parsed.message}` };
  if (!isJsonObject(parsed.value)) return { notice: 'the metrics are ignored: they are no JSON object' };
  return pickFields(parsed.value);
}

/** The valid fields: each is checked by itself. */
function pickFields(value: JsonObject): ReportedMetrics {
  const isValid = ([name, field]: [string, JsonValue]) =>
    Object.hasOwn(metricsSchema.shape, name) && metricsSchema.safeParse({ [name]: field }).success;
  const metrics = metricsSchema.parse(Object.fromEntries(Object.entries(value).filter(isValid)));
  const wrong = Object.entries(value).filter((entry) => !isValid(entry));
  if (wrong.length === 0) return { metrics };
  const names = wrong.slice(0, 10).map(([name]) => name);
  return { metrics, notice: `metrics that are unknown or have a wrong value are ignored: ${names.join(', ')}` };
}

/** Messages of Claude Code: those of a list, or the one of type `result`. */
function messagesOf(value: JsonValue): JsonObject[] {
  if (isJsonObject(value)) return value['type'] === 'result' ? [value] : [];
  return Array.isArray(value) ? value.filter(isJsonObject).filter((message) => 'type' in message) : [];
}

/** As {@link messagesOf}, for a stream with one message per line. */
function messagesOfStream(stream: string): JsonObject[] {
  const lines = stream.split('\n').filter((line) => /"type" *: *"(?:system|result)"/.test(line));
  const events = lines.map((line) => parseJson(Buffer.from(line)));
  return messagesOf(events.flatMap((event) => (event.ok ? [event.value] : [])));
}

/** Totals of the last result. Input tokens include those written to and read from the prompt cache. */
function totalsOf(messages: readonly JsonObject[]): JsonObject {
  const init = messages.find(({ type, subtype }) => type === 'system' && subtype === 'init');
  const result = messages.findLast(({ type }) => type === 'result');
  const usage = isJsonObject(result?.['usage']) ? result['usage'] : {};
  const inputs = [usage['input_tokens'], usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
  const counts = inputs.filter((count) => typeof count === 'number');
  const models = isJsonObject(result?.['modelUsage']) ? Object.keys(result['modelUsage']) : [];
  const fields: Record<string, JsonValue | undefined> = {
    model: init?.['model'] ?? (models.join(', ') || undefined),
    session: result?.['session_id'] ?? init?.['session_id'],
    inputTokens: counts.length > 0 ? counts.reduce((sum, count) => sum + count, 0) : undefined,
    outputTokens: usage['output_tokens'],
    costUsd: result?.['total_cost_usd'],
  };
  return JSON.parse(JSON.stringify(fields)) as JsonObject;
}
