// Replace this by the agent that runs the tests.
import { readFileSync, writeFileSync } from 'node:fs';

const isGood = readFileSync('hello.txt', 'utf8').trim() === 'hello';
const output = isGood
  ? { result: 'VERIFIED', message: 'hello.txt says hello' }
  : { result: 'FAILED', message: 'hello.txt does not say hello' };
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(output));
