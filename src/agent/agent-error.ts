import { isJsonObject, type JsonValue } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';

/** Characters of an error text; lines of stderr and of a stream of events that are read. */
const MAX_TEXT = 2_000;
const LAST_LINES = 5;
const LAST_EVENTS = 20;

/**
 * The error message of a failed agent: from the document or the events that Claude Code (`--output-format json` and
 * `stream-json`) and Codex (`exec --json`) write to the output file or stdout; else the error at the end of stderr
 * without its stack; else the last lines of stderr.
 * @param redact applied before the text is cut, since half of a secret would stay. Default: none
 */
export function agentErrorText(
  output: Uint8Array | undefined,
  stdout: string,
  stderr: string,
  redact = (text: string): string => text,
): string | undefined {
  const documents = [output, Buffer.from(stdout)].flatMap((bytes) => (bytes === undefined ? [] : readDocuments(bytes)));
  for (const document of documents) {
    const text = errorOf(document)?.trim();
    if (text) return redact(text).slice(0, MAX_TEXT);
  }
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !STACK.test(line));
  if (lines.length === 0) return undefined;
  const error = lines.findLastIndex((line) => ERROR.test(line));
  // Indented lines after an error belong to it.
  if (error >= 0 && lines.slice(error + 1).every((line) => /^[\s}\]]/.test(line)))
    return lines.slice(error).slice(0, LAST_LINES).join('\n').slice(0, MAX_TEXT);
  return lines.slice(-LAST_LINES).join('\n').slice(-MAX_TEXT);
}

/** Lines that Node and others print around an error: frames, a pointer into the source, the version. */
const STACK = /^\s+at |^\s*\^+$|^Node\.js v\d/;
const ERROR = /^[^:]*(?:Error|Exception)(?: \[\w+\])?: /;

/** The one document, or the messages in its list or stream, the last one first. */
function readDocuments(bytes: Uint8Array): JsonValue[] {
  const parsed = parseJson(bytes);
  if (parsed.ok) return Array.isArray(parsed.value) ? parsed.value.toReversed() : [parsed.value];
  const lines = Buffer.from(bytes).toString().trimEnd().split('\n').slice(-LAST_EVENTS).reverse();
  return lines.flatMap((line) => {
    const event = line.startsWith('{') ? parseJson(Buffer.from(line)) : undefined;
    return event?.ok ? [event.value] : [];
  });
}

/**
 * Claude Code: `{type: "result", is_error, subtype, result?, errors?}`. Codex: `{type: "error", message}` and
 * `{type: "turn.failed", error: {message}}`. Others: `error` as a text, or an object with a `message`.
 */
function errorOf(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, is_error: isError, subtype, result, errors, error, message } = value;
  if (typeof error === 'string') return error;
  if (isJsonObject(error) && typeof error['message'] === 'string') return error['message'];
  if (type === 'error' && typeof message === 'string') return message;
  if (isError !== true) return undefined;
  if (typeof result === 'string' && result !== '') return result;
  const texts = Array.isArray(errors) ? errors.filter((text) => typeof text === 'string') : [];
  return texts.length > 0 ? texts.join('\n') : typeof subtype === 'string' ? subtype : undefined;
}
