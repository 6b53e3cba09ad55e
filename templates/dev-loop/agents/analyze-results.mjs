// Replace this by the agent that says what to do about failures.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const { failed, failures } = needs['run-tests'].output;
const message = failed === 0 ? 'All tests passed' : `Repair: ${failures.join(', ')}`;
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ failed, message }));
