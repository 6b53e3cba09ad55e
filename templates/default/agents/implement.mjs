// Replace this by the agent that implements.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_OUTPUT } = process.env;
const { task, needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
console.log(`${task}: ${needs.design.output.steps.join(', ')}`);
// On a retry: what was wrong with the attempt before.
if (GATELINE_FEEDBACK) console.log(readFileSync(GATELINE_FEEDBACK, 'utf8'));
writeFileSync('hello.txt', 'hello\n');
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ changed: ['hello.txt'] }));
