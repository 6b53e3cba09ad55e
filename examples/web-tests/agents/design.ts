/** Gate 1: test cases from the story and gate 0's data. */
import { designTestCases } from './design/test-cases.ts';
import { validation, type DataFile, type DataOutput, type DesignOutput, type TestCase } from './protocol/outputs.ts';
import { needed, readHandedOn, serve, type Answer, type Request } from './protocol/protocol.ts';
import { loadStory, type Story } from './story/story.ts';
import { formatTarget, targetOf } from './story/target.ts';

await serve(design);

async function design(request: Request): Promise<Answer> {
  const story = await loadStory(request);
  const { dataFile, dataDigest, totalCases } = await needed<DataOutput>(request, 'data');
  const { cases } = JSON.parse(await readHandedOn(dataFile, dataDigest, 'data')) as DataFile;
  const testCases = designTestCases(story, cases);
  const output: DesignOutput = {
    testCases,
    dataStrategy: { type: 'data-driven', dataFile, dataDigest, totalCases },
    validationResult: judge(story, testCases),
  };
  return { output };
}

/** Every criterion should be understood, and every field taken by one test and refused by another. */
function judge(story: Story, testCases: readonly TestCase[]): DesignOutput['validationResult'] {
  const about = (test: TestCase, target: string): boolean =>
    test.expectedResult.assertions.some((assertion) => assertion.target === target);
  const untested = story.fields.filter((field) => {
    const target = formatTarget(targetOf(field));
    return !['pass', 'fail'].every((status) =>
      testCases.some((test) => test.expectedResult.status === status && about(test, target)),
    );
  });
  const issues = [
    ...story.notUnderstood.map((criterion) => `not understood: ${criterion}`),
    ...untested.map((field) => `${field.label} is not both taken and refused by a test`),
  ];
  const all = story.fields.length + story.notUnderstood.length;
  return validation((100 * (all - issues.length)) / all, issues);
}
