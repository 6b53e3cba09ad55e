import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, optionsOf, resultOf, words } from '../answer.mjs';
import { inputsOf } from '../inputs.mjs';

const inputs = inputsOf(import.meta.dirname);
if (!inputs.anthropic_api_key) throw new Error('no API key');
if (!inputs.github_token) throw new Error('no token: the GitHub App would need `id-token: write`');
const EVENTS = [
  'pull_request',
  'issues',
  'issue_comment',
  'workflow_dispatch',
  'repository_dispatch',
  'schedule',
  'workflow_run',
];
if (!EVENTS.includes(process.env.GITHUB_EVENT_NAME)) {
  throw new Error(`Unsupported event type: ${process.env.GITHUB_EVENT_NAME}`);
}
const { options } = optionsOf(words(inputs.claude_args), { valued: ['--add-dir', '--allowedTools', '--json-schema'] });
if (!inputs.prompt.includes(options['--add-dir'])) throw new Error('the request is in a folder that it may not read');
const output = answer({
  prompt: inputs.prompt,
  schema: JSON.parse(options['--json-schema']),
  mayWrite: options['--allowedTools'].split(',').includes('Write'),
});
const file = join(process.env.RUNNER_TEMP, 'claude-execution-output.json');
const begun = { type: 'system', subtype: 'init', session_id: 'session-of-claude', model: 'claude-of-a-test' };
writeFileSync(file, JSON.stringify([begun, { type: 'assistant', message: { content: [] } }, resultOf(output)]));
const outputs = { conclusion: 'success', execution_file: file, session_id: 'session-of-claude' };
const lines = Object.entries({ ...outputs, structured_output: JSON.stringify(output) });
appendFileSync(process.env.GITHUB_OUTPUT, lines.map(([name, value]) => `${name}=${value}\n`).join(''));
