// Replace this by the agent that reviews.
import { readFileSync, writeFileSync } from 'node:fs';

const isGood = readFileSync('hello.txt', 'utf8').endsWith('\n');
const output = isGood
  ? { result: 'APPROVED', message: 'Code review passed' }
  : { result: 'NEEDS_CHANGES', message: 'hello.txt ends without a new line' };
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(output));
