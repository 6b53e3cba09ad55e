import { appendFileSync, readFileSync } from 'node:fs';
import { answer } from '../answer.mjs';
import { inputsOf } from '../inputs.mjs';

const inputs = inputsOf(import.meta.dirname);
if (!inputs['openai-api-key']) throw new Error('no API key');
const output = answer({
  prompt: inputs.prompt,
  schema: JSON.parse(readFileSync(inputs['output-schema-file'], 'utf8')),
  mayWrite: inputs.sandbox === 'workspace-write',
});
appendFileSync(process.env.GITHUB_OUTPUT, `final-message=${JSON.stringify(output)}\n`);
