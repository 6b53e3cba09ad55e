// Execution. Replace the work by your agent's.
import { existsSync } from 'node:fs';
import { load, save } from './state.mjs';

const { files } = load(3, 'generate');
const failedTests = files.filter((file) => !existsSync(file)).length;
const result = { status: failedTests === 0 ? 'PASS' : 'FAIL', passedTests: files.length - failedTests, failedTests };
const results = [1, 2, 3].map((runNumber) => ({ runNumber, ...result }));
const passRate = (100 * result.passedTests) / files.length;
save(4, 'ExecutionEngine', { results, finalStatus: { passRate, failedTests } }, passRate);
