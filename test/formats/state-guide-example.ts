import type { JsonValue } from '../../src/json/json.ts';

const url = 'https://demoqa.com/automation-practice-form';
export const METADATA = { domain: 'demoqa_com', feature: 'student_registration', url };
export const STORY = { userStory: 'As a student I register', acceptanceCriteria: ['A first name is required'] };
export const STEM = 'demoqa_com-student_registration';

const dataFile = 'tests/test-data/demoqa_com-student_registration-data.json';
const run = (runNumber: number) => ({ runNumber, status: 'PASS', passedTests: 5, failedTests: 0 });
const OUTPUTS: readonly JsonValue[] = [
  { dataFile, totalCases: 5, breakdown: { valid: 3, invalid: 1, boundary: 1, edge: 0 }, seed: 12345 },
  {
    testCases: [
      {
        testId: 'TC_001',
        description: 'Verify student registration with valid data',
        priority: 'high',
        testType: 'positive',
        testSteps: [{ stepNumber: 1, action: 'Enter first name', target: 'firstName input field', data: 'John' }],
        expectedResult: { status: 'pass', assertions: [{ type: 'url', target: 'contains /success' }] },
      },
    ],
    dataStrategy: { type: 'data-driven', dataFile, totalCases: 5 },
  },
  {
    elementMappings: [
      {
        logicalName: 'firstNameInput',
        locators: {
          primary: { type: 'id', value: 'firstName', confidenceScore: 0.95 },
          fallbacks: [
            { type: 'placeholder', value: 'First Name', confidenceScore: 0.85 },
            { type: 'xpath', value: "//input[@placeholder='First Name']", confidenceScore: 0.8 },
          ],
        },
      },
    ],
    isSPA: false,
    specialComponents: [],
  },
  {
    files: [
      'tests/test-objects/pages/studentRegistrationPage.ts',
      'tests/tests-management/gui/student_registration/register.spec.ts',
    ],
    pageObjects: ['studentRegistrationPage'],
    testSpecs: ['register.spec.ts'],
    testPattern: 'data-driven',
    compilationErrors: 0,
  },
  {
    results: [run(1), run(2), run(3)],
    finalStatus: { passRate: 100, avgExecutionTime: 8500, failedTests: 0 },
  },
];
const AGENTS = ['TestCaseDesigner', 'TestCaseDesigner', 'DOMAgent', 'POMAgent', 'ExecutionEngine'];
const SCORES = [100, 95, 87, 100, 100];

/** The state files that the guide shows for its gates 0 to 4. */
export const EXAMPLE_FILES = OUTPUTS.map((output, gate) => ({
  gate,
  agent: AGENTS[gate]!,
  status: 'SUCCESS',
  metadata: METADATA,
  output,
  validation: { score: SCORES[gate]!, issues: gate === 2 ? ['2 elements have confidence < 80%'] : [], passed: true },
}));
