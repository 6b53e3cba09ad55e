// Gate 0: rows of test data from the acceptance criteria. The same seed gives the same rows.
import { finish, request, writeFile } from './gate.mjs';

const { domain, feature, acceptanceCriteria } = request.metadata;
const { seed, valid } = request.definition.with;
let state = seed;
const random = (below) => (state = (state * 48_271) % 2_147_483_647) % below;
const pick = (list) => list[random(list.length)];
const text = (length, letters = 'abcdefghijklmnopqrstuvwxyz') => Array.from({ length }, () => pick(letters)).join('');

/** What a criterion allows, what it does not allow, and its limits. */
function rulesOf(criterion) {
  const [, field, rule] = /^(.+) is required: (.+)$/.exec(criterion) ?? [];
  const [min, max] = rule?.match(/\d+/g)?.map(Number) ?? [];
  if (/^\d+ to \d+ characters$/.test(rule))
    return [
      { field, valid: () => text(min + random(max - min)), wrong: [text(max + 1)], limits: [text(min), text(max)] },
    ];
  if (/^\d+ digits$/.test(rule))
    return [{ field, valid: () => text(min, '0123456789'), wrong: [text(min)], limits: [] }];
  if (rule === 'an email address')
    return [{ field, valid: () => `${text(6)}@example.com`, wrong: [text(6)], limits: [] }];
  const options = /^one of (.+)$/.exec(rule)?.[1].split(', ');
  return options ? [{ field, valid: () => pick(options), wrong: [], limits: [] }] : [];
}

const rules = acceptanceCriteria.flatMap(rulesOf);
const row = (kind, changes, expected = 'Thanks for registering') => {
  const values = Object.fromEntries(rules.map((rule) => [rule.field, rule.valid()]));
  return { kind, values: { ...values, ...changes }, expected };
};
const rows = [
  ...Array.from({ length: valid }, () => row('valid', {})),
  ...rules.map(({ field }) => row('invalid', { [field]: '' }, `${field} is required`)),
  ...rules.flatMap(({ field, wrong }) =>
    wrong.map((value) => row('invalid', { [field]: value }, `${field} is not valid`)),
  ),
  ...rules.flatMap(({ field, limits }) => limits.map((value) => row('boundary', { [field]: value }))),
  ...rules.slice(0, 1).map(({ field, valid: value }) => row('edge', { [field]: `  ${value()}  ` })),
];
const dataFile = `tests/test-data/${domain}-${feature}-data.json`;
writeFile(dataFile, JSON.stringify(rows, null, 2));
const kinds = ['valid', 'invalid', 'boundary', 'edge'];
const breakdown = Object.fromEntries(kinds.map((name) => [name, rows.filter(({ kind }) => kind === name).length]));
const unclear = acceptanceCriteria.filter((criterion) => rulesOf(criterion).length === 0);
const issues = unclear.map((criterion) => `unclear: ${criterion}`);
finish({ dataFile, totalCases: rows.length, breakdown, seed }, acceptanceCriteria.length, issues);
