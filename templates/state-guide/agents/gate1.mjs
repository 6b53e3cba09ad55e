// Test case design. Replace the work by your agent's.
import { load, save } from './state.mjs';

const { dataFile, totalCases } = load(0, 'data');
const testSteps = [{ stepNumber: 1, action: 'Enter first name', target: 'firstName' }];
const dataStrategy = { type: 'data-driven', dataFile, totalCases };
save(1, 'TestCaseDesigner', { testCases: [{ testId: 'TC_001', testSteps }], dataStrategy }, 95);
