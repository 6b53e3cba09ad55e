/** Gate 0: test data from a seed and the rules of the acceptance criteria. */
import { createCases } from './data/cases.ts';
import { randomFrom } from './data/random.ts';
import { validation, type CaseKind, type DataCase, type DataFile, type DataOutput } from './protocol/outputs.ts';
import { AgentError, serve, writeWorkspace, type Answer, type Request } from './protocol/protocol.ts';
import { loadStory, type Story } from './story/story.ts';

await serve(prepareData);

async function prepareData(request: Request): Promise<Answer> {
  const story = await loadStory(request);
  const seed = seedOf(request);
  const cases = createCases(story, randomFrom(seed), wholeNumber(request.definition.with['valid'] ?? 3, 'with.valid'));
  if (!/^[\w.-]+$/.test(request.subject))
    throw new AgentError(`the subject "${request.subject}" cannot be part of a file's name`);
  const dataFile = `tests/test-data/${request.subject}-data.json`;
  const content: DataFile = { subject: request.subject, seed, cases };
  const dataDigest = await writeWorkspace(dataFile, `${JSON.stringify(content, null, 2)}\n`);
  const output: DataOutput = {
    dataFile,
    dataDigest,
    totalCases: cases.length,
    breakdown: breakdownOf(cases),
    seed,
    validationResult: judge(story, cases),
  };
  return { output };
}

/** A caller may give another seed: `input: {"seed": 7}`. */
function seedOf({ input, definition }: Request): number {
  const given = typeof input === 'object' && input !== null && 'seed' in input ? input.seed : definition.with['seed'];
  return wholeNumber(given, 'the seed (with.seed, or seed in the input)');
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new AgentError(`${what} must be a whole number from 1, not ${JSON.stringify(value)}`);
  return value;
}

function breakdownOf(cases: readonly DataCase[]): Record<CaseKind, number> {
  const breakdown = { valid: 0, invalid: 0, boundary: 0, edge: 0 };
  for (const { kind } of cases) breakdown[kind] += 1;
  return breakdown;
}

/** Every criterion should be understood, and every field should have a case that is refused for it. */
function judge(story: Story, cases: readonly DataCase[]): DataOutput['validationResult'] {
  const refused = new Set(cases.map(({ expect }) => (expect.outcome === 'accepted' ? undefined : expect.field)));
  const uncovered = story.fields.filter((field) => !refused.has(field.key));
  const issues = [
    ...story.notUnderstood.map((criterion) => `not understood: ${criterion}`),
    ...uncovered.map((field) => `no case is refused for ${field.label}`),
  ];
  const all = story.fields.length + story.notUnderstood.length;
  return validation((100 * (all - issues.length)) / all, issues);
}
