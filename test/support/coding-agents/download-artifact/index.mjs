import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputsOf } from '../inputs.mjs';

const { name, path, 'run-id': run, 'github-token': token } = inputsOf(import.meta.dirname);
// Only with a token is the artifact of another run found.
if (name !== 'answer' || run !== '77' || !token) throw new Error(`no artifact ${name} in run ${run}`);
mkdirSync(path, { recursive: true });
writeFileSync(join(path, 'answer.json'), '{"score": 90, "findings": [{"line": 1, "problem": "Too short."}]}');
