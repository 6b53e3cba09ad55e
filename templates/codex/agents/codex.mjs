// node agents/codex.mjs NAME SANDBOX: does what prompts/NAME.md says, and answers as schemas/NAME.schema.json wants it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [name, sandbox] = process.argv.slice(2);
const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_METRICS, GATELINE_OUTPUT } = process.env;
const feedback = GATELINE_FEEDBACK ? `What was wrong with your last attempt: ${GATELINE_FEEDBACK}` : '';
const prompt = `${readFileSync(`prompts/${name}.md`, 'utf8')}\nThe request: ${GATELINE_REQUEST}\n${feedback}`;

const schema = ['--output-schema', `schemas/${name}.schema.json`, '--output-last-message', GATELINE_OUTPUT];
const { error, status, stdout } = spawnSync('codex', ['exec', '--json', '--sandbox', sandbox, ...schema, '-'], {
  input: prompt,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 ** 2,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (error) {
  const isMissing = error.code === 'ENOENT';
  console.error(isMissing ? 'codex is not installed: npm install -g @openai/codex' : error.message);
  process.exit(1);
}
// One event a line. Codex does not say what a session cost in money.
const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
const events = lines.map((line) => JSON.parse(line));
const session = events.find(({ type }) => type === 'thread.started')?.thread_id;
const usage = events.findLast(({ type }) => type === 'turn.completed')?.usage;
const metrics = { session, inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens };
writeFileSync(GATELINE_METRICS, JSON.stringify(metrics));
for (const event of events) if (/error|failed/.test(event.type)) console.error(event.message ?? event.error?.message);
process.exitCode = status ?? 1;
