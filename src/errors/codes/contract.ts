import type { CodeMeaning } from '../error-codes.ts';

/** Contracts. */
export const CONTRACT_CODES = {
  CONTRACT_INVALID: {
    from: ['user'],
    means: 'A contract cannot be used; the problems are listed.',
    remedy: 'Correct it; no output can meet it as it is.',
  },
  CONTRACT_MALFORMED: {
    from: ['user', 'contract'],
    means: 'A stored contract is not of the form that contracts have.',
    remedy: 'Begin the gate again.',
  },
  CONTRACT_SCHEMA_MISSING: {
    from: ['user'],
    means: 'The schema file of a contract is not there.',
    remedy: 'Write it, or correct the path; it is relative to the workspace.',
  },
  CONTRACT_SCHEMA_MALFORMED: {
    from: ['user'],
    means: 'The schema file is not JSON.',
    remedy: 'A schema file holds one JSON Schema, as JSON.',
  },
  CONTRACT_SCHEMA_INVALID: {
    from: ['contract'],
    means: 'The schema is not a JSON Schema.',
    remedy: 'Correct it at the pointer that is named.',
  },
  CONTRACT_DIALECT_UNKNOWN: {
    from: ['contract'],
    means: '`$schema` names a dialect that is not known.',
    remedy: 'Use draft 2020-12 or draft-07.',
  },
  CONTRACT_KEYWORD_UNKNOWN: {
    from: ['contract'],
    means: 'A keyword is not known: it would check nothing.',
    remedy: 'Correct it; keywords of your own begin with `x-`.',
  },
  CONTRACT_FORMAT_UNKNOWN: {
    from: ['contract'],
    means: 'A `format` is not known: it would check nothing.',
    remedy: 'Correct it, or use `pattern`.',
  },
  CONTRACT_PATTERN_INVALID: {
    from: ['contract'],
    means: 'A pattern is not a regular expression.',
    remedy: 'Correct it.',
  },
  CONTRACT_REF_MISSING: { from: ['contract'], means: 'A `$ref` leads nowhere.', remedy: 'Correct it.' },
  CONTRACT_REF_OUTSIDE: {
    from: ['contract'],
    means: 'A `$ref` leads out of the schema.',
    remedy: 'Put what it refers to under `$defs`.',
  },
  CONTRACT_CHECK_INVALID: {
    from: ['contract'],
    means: 'A check is not an expression.',
    remedy: 'See docs/reference/contract.md.',
  },
  CONTRACT_THRESHOLD_WITHOUT_SCORE: {
    from: ['contract'],
    means: 'A threshold without a score is never missed.',
    remedy: 'Say where the score stands: `score`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
