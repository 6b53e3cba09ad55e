import type { CodeMeaning } from '../code-meaning.ts';

/** Contracts. */
export const CONTRACT_CODES = {
  CONTRACT_INVALID: {
    from: ['user'],
    means: 'A contract is invalid. The message lists the problems.',
    remedy: 'Fix it; no output can meet it.',
  },
  CONTRACT_MALFORMED: {
    from: ['user', 'contract'],
    means: 'A stored contract is not valid.',
    remedy: 'Begin the gate again.',
  },
  CONTRACT_SCHEMA_MISSING: {
    from: ['user'],
    means: 'The schema file of a contract does not exist.',
    remedy: 'Commit it, or correct the path; it is relative to the workspace.',
  },
  CONTRACT_SCHEMA_MALFORMED: {
    from: ['user'],
    means: 'The schema file is not JSON.',
    remedy: 'A schema file contains one JSON Schema, as JSON.',
  },
  CONTRACT_SCHEMA_INVALID: {
    from: ['contract'],
    means: 'The schema is not a JSON Schema.',
    remedy: 'Correct it at the pointer that is named.',
  },
  CONTRACT_DIALECT_UNKNOWN: {
    from: ['contract'],
    means: '`$schema` names an unsupported dialect.',
    remedy: 'Use draft 2020-12 or draft-07.',
  },
  CONTRACT_KEYWORD_UNKNOWN: {
    from: ['contract'],
    means: 'A keyword is unknown: it would check nothing.',
    remedy: 'Correct it; custom keywords begin with `x-`.',
  },
  CONTRACT_FORMAT_UNKNOWN: {
    from: ['contract'],
    means: 'A `format` is unknown: it would check nothing.',
    remedy: 'Correct it, or use `pattern`.',
  },
  CONTRACT_PATTERN_INVALID: {
    from: ['contract'],
    means: 'A pattern is not a regular expression.',
    remedy: 'Correct it.',
  },
  CONTRACT_REF_MISSING: { from: ['contract'], means: 'A `$ref` points to nothing.', remedy: 'Correct it.' },
  CONTRACT_REF_OUTSIDE: {
    from: ['contract'],
    means: 'A `$ref` points outside the schema.',
    remedy: 'Put what it refers to under `$defs`.',
  },
  CONTRACT_CHECK_INVALID: {
    from: ['contract'],
    means: 'A check is not an expression.',
    remedy: 'See docs/reference/contract.md.',
  },
  CONTRACT_THRESHOLD_WITHOUT_SCORE: {
    from: ['contract'],
    means: 'A threshold without a score has no effect.',
    remedy: 'Set `score` to the JSON pointer of the score.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
