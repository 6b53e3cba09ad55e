// Replace this by the agent that writes code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { GATELINE_REQUEST, GATELINE_MEMORY, GATELINE_OUTPUT } = process.env;
const { needs, rework } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
console.log(needs['fetch-task'].output.title);
for (const name of ['handoff.md', 'learned-patterns.md'])
  console.log(readFileSync(join(GATELINE_MEMORY, name), 'utf8'));
// The analysis that sent the work back.
if (rework) console.log(JSON.stringify(rework['analyze-results']));
const files = [{ path: 'hello.txt', content: 'hello\n' }];
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ summary: 'Say hello', files }));
