// Gate 1: a test case for each row of data.
import { readFileSync } from 'node:fs';
import { exportsOf, finish, request } from './gate.mjs';

const { dataFile, totalCases } = exportsOf('data');
const TYPES = { valid: 'positive', invalid: 'negative', boundary: 'boundary', edge: 'edge' };
const testCases = JSON.parse(readFileSync(dataFile, 'utf8')).map(({ kind, values, expected }, index) => {
  const steps = Object.entries(values).map(([target, data]) => ({ action: `Enter ${target}`, target, data }));
  steps.push({ action: 'Press Register', target: 'Register' });
  return {
    testId: `TC_${String(index + 1).padStart(3, '0')}`,
    description: `With ${kind} data the form says: ${expected}`,
    priority: kind === 'edge' ? 'medium' : 'high',
    testType: TYPES[kind],
    testSteps: steps.map((step, at) => ({ stepNumber: at + 1, ...step })),
    expectedResult: {
      status: kind === 'invalid' ? 'fail' : 'pass',
      assertions: [{ type: 'status', target: expected }],
    },
  };
});

const { acceptanceCriteria } = request.metadata;
const assertions = testCases.map(({ expectedResult }) => expectedResult.assertions[0].target);
const untested = acceptanceCriteria.filter((criterion) => !assertions.includes(criterion.split(':')[0]));
const issues = untested.map((criterion) => `no test: ${criterion}`);
const dataStrategy = { type: 'data-driven', dataFile, totalCases };
finish({ testCases, dataStrategy }, acceptanceCriteria.length, issues);
