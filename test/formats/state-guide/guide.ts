/** The example files of the state guide, as it shows them (comments taken out). */
const metadata = {
  domain: 'demoqa_com',
  feature: 'student_registration',
  url: 'https://demoqa.com/automation-practice-form',
};
const dataFile = 'tests/test-data/demoqa_com-student_registration-data.json';
const good = { score: 100, issues: [] as string[], passed: true };

export const GUIDE_EXAMPLES = [
  {
    gate: 0,
    agent: 'TestCaseDesigner',
    status: 'SUCCESS',
    metadata,
    output: { dataFile, totalCases: 5, breakdown: { valid: 3, invalid: 1, boundary: 1, edge: 0 }, seed: 12345 },
    validation: good,
  },
  {
    gate: 1,
    agent: 'TestCaseDesigner',
    status: 'SUCCESS',
    metadata,
    output: {
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
    validation: { ...good, score: 95 },
  },
  {
    gate: 2,
    agent: 'DOMAgent',
    status: 'SUCCESS',
    metadata,
    output: {
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
    validation: { score: 87, issues: ['2 elements have confidence < 80%'], passed: true },
  },
  {
    gate: 3,
    agent: 'POMAgent',
    status: 'SUCCESS',
    metadata,
    output: {
      files: [
        'tests/test-objects/pages/studentRegistrationPage.ts',
        'tests/tests-management/gui/student_registration/register.spec.ts',
      ],
      pageObjects: ['studentRegistrationPage'],
      testSpecs: ['register.spec.ts'],
      testPattern: 'data-driven',
      compilationErrors: 0,
    },
    validation: good,
  },
  {
    gate: 4,
    agent: 'ExecutionEngine',
    status: 'SUCCESS',
    metadata,
    output: {
      results: [1, 2, 3].map((runNumber) => ({ runNumber, status: 'PASS', passedTests: 5, failedTests: 0 })),
      finalStatus: { passRate: 100, avgExecutionTime: 8500, failedTests: 0 },
    },
    validation: good,
  },
] as const;

export const GUIDE_PIPELINE = {
  status: 'IN_PROGRESS',
  currentGate: 0,
  completedGates: [],
  metadata: { ...metadata, userStory: 'As a student …', acceptanceCriteria: ['the form is sent'] },
} as const;
