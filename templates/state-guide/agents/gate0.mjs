// Data preparation. Replace the work by your agent's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { save } from './state.mjs';

const dataFile = 'tests/test-data/students.json';
mkdirSync('tests/test-data', { recursive: true });
writeFileSync(dataFile, JSON.stringify([{ firstName: 'John' }, { firstName: '' }]));
save(
  0,
  'TestCaseDesigner',
  { dataFile, totalCases: 2, breakdown: { valid: 1, invalid: 1, boundary: 0, edge: 0 } },
  100,
);
