// Replace this by your tests. Failures are its output: the analysis sends the work back.
import { readFileSync, writeFileSync } from 'node:fs';

const isGood = readFileSync('hello.txt', 'utf8') === 'hello\n';
const failures = isGood ? [] : ['hello.txt does not say hello'];
writeFileSync(
  process.env.GATELINE_OUTPUT,
  JSON.stringify({ passed: 1 - failures.length, failed: failures.length, failures }),
);
