// Replace this by the agent that implements.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_OUTPUT } = process.env;
const { task, needs, rework } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
// Phases that were imported have a message, and no steps.
console.log(`${task}: ${(needs.planning.output.steps ?? []).join(', ')}`);
// The reviews that sent the work back, by gate.
if (rework) console.log(JSON.stringify(rework));
// On a retry: what was wrong with the attempt before.
if (GATELINE_FEEDBACK) console.log(readFileSync(GATELINE_FEEDBACK, 'utf8'));
writeFileSync('hello.txt', 'hello\n');
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ message: 'Wrote hello.txt' }));
