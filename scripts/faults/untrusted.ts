import type { Fault } from './fault.ts';

const PARSE = ['test/json/parse-json.test.ts'];
const REDACT = ['test/untrusted/redact.test.ts'];
const ESCAPE = ['test/untrusted/escape.test.ts'];

/** Faults in making agents' output safe. */
export const UNTRUSTED_FAULTS: readonly Fault[] = [
  {
    name: 'untrusted: JSON of any depth is read',
    find: 'if (structure.depth > maxDepth) {',
    replace: 'if (structure.depth > HIGHEST_MAX_DEPTH) {',
    tests: PARSE,
    why: 'a deep document ends whatever recurses over it',
  },
  {
    name: 'untrusted: the last of two equal keys wins',
    find: 'if (found.keys !== keysInText) {',
    replace: 'if (found.keys > keysInText) {',
    tests: PARSE,
    why: 'a reader and a checker could see two documents in one',
  },
  {
    name: 'untrusted: secrets in base64 are not found',
    find: 'base64Forms(whole).forEach(add);',
    replace: 'base64Forms(whole);',
    tests: REDACT,
    why: '`echo $KEY | base64` is the first thing that a curious agent tries',
  },
  {
    name: 'untrusted: keys of JSON objects are not redacted',
    find: 'const names = new Map(keys.map((key) => [key, redactText(key)] as const));',
    replace: "const names = new Map(keys.map((key) => [key, redactText('') + key] as const));",
    tests: REDACT,
    why: 'a map by token would show every token',
  },
  {
    name: 'untrusted: a private key is cut between two pieces of a log',
    find: 'let cut = lineEnd(text, openKeyAt(text) ?? text.length);',
    replace: 'let cut = lineEnd(text, text.length);',
    tests: ['test/untrusted/redact-stream.test.ts'],
    why: 'a key of several lines would stand in the log, line by line',
  },
  {
    name: 'untrusted: mentions are live',
    find: '.replace(/[@#]/g, `$&${BREAK}`)',
    replace: '.replace(/[#]/g, `$&${BREAK}`)',
    tests: ESCAPE,
    why: 'an agent could call people and close issues',
  },
  {
    name: 'untrusted: HTML comes through Markdown',
    find: '/[\\\\`*_[\\]<>&$~|]/g',
    replace: '/[\\\\`*_[\\]&$~|]/g',
    tests: ESCAPE,
    why: 'an agent could hide or forge parts of a report',
  },
  {
    name: 'untrusted: escapes in learnings hide a secret',
    find: 'redactText(withoutEscapedSecrets(new TextDecoder().decode(file.bytes), call.redactor))',
    replace: 'redactText(new TextDecoder().decode(file.bytes) + (withoutEscapedSecrets.name === "" ? " " : ""))',
    tests: ['test/cli/memory.test.ts'],
    why: 'a secret would reach the handoff and documents that are committed',
  },
];
