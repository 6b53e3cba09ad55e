// Replace this by the agent that implements.
import { writeFileSync } from 'node:fs';

writeFileSync('hello.txt', 'hello\n');
writeFileSync(process.env.GATELINE_OUTPUT, '{}');
