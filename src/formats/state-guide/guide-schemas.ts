import type { JsonObject, JsonValue } from '../../json/json.ts';

const text: JsonObject = { type: 'string', minLength: 1 };
const whole: JsonObject = { type: 'integer', minimum: 0 };
const percent: JsonObject = { type: 'number', minimum: 0, maximum: 100 };
const confidence: JsonObject = { type: 'number', minimum: 0, maximum: 1 };

function list(items: JsonValue, more: JsonObject = {}): JsonObject {
  return { type: 'array', items, ...more };
}

function map(properties: JsonObject, ...required: string[]): JsonObject {
  return { type: 'object', required, properties };
}

const locator = map({ type: text, value: text, confidenceScore: confidence }, 'type', 'value');

const step = map({ stepNumber: whole, action: text, target: text, data: {} }, 'action');

const testCase = map(
  {
    testId: text,
    description: text,
    priority: text,
    testType: text,
    testSteps: list(step, { minItems: 1 }),
    expectedResult: map({ status: text, assertions: list({ type: 'object' }) }),
  },
  'testId',
  'testSteps',
);

const result = map(
  { runNumber: whole, status: { enum: ['PASS', 'FAIL'] }, passedTests: whole, failedTests: whole },
  'runNumber',
  'status',
);

const OUTPUTS: readonly (readonly [title: string, schema: JsonObject])[] = [
  [
    'Data preparation',
    map(
      {
        dataFile: text,
        totalCases: whole,
        breakdown: map({ valid: whole, invalid: whole, boundary: whole, edge: whole }),
        seed: { type: 'integer' },
      },
      'dataFile',
      'totalCases',
    ),
  ],
  [
    'Test case design',
    map(
      {
        testCases: list(testCase, { minItems: 1 }),
        dataStrategy: map({ type: text, dataFile: text, totalCases: whole }, 'type'),
      },
      'testCases',
    ),
  ],
  [
    'DOM element mapping',
    map(
      {
        elementMappings: list(
          map(
            { logicalName: text, locators: map({ primary: locator, fallbacks: list(locator) }, 'primary') },
            'locators',
          ),
          { minItems: 1 },
        ),
        isSPA: { type: 'boolean' },
        specialComponents: { type: 'array' },
      },
      'elementMappings',
    ),
  ],
  [
    'Code generation',
    map(
      {
        files: list(text, { minItems: 1 }),
        pageObjects: list(text),
        testSpecs: list(text),
        testPattern: text,
        compilationErrors: whole,
      },
      'files',
      'testSpecs',
    ),
  ],
  [
    'Execution results',
    map(
      {
        results: list(result, { minItems: 1 }),
        finalStatus: map(
          { passRate: percent, avgExecutionTime: { type: 'number', minimum: 0 }, failedTests: whole },
          'passRate',
        ),
      },
      'results',
      'finalStatus',
    ),
  ],
];

/**
 * JSON Schemas (2020-12) of the outputs of gates 0 to 4 of the state guide: the key `output` of their state files. What
 * the guide's own validation functions need is required, other keys are allowed.
 */
export const GUIDE_SCHEMAS: readonly JsonObject[] = OUTPUTS.map(([title, schema], gate) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: `${title}: output of gate ${gate} of the state guide`,
  ...schema,
}));
