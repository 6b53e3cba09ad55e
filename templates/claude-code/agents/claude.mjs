// node agents/claude.mjs NAME TOOLS: does what prompts/NAME.md says, and answers as schemas/NAME.schema.json wants it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [name, tools] = process.argv.slice(2);
const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_METRICS, GATELINE_OUTPUT } = process.env;
const feedback = GATELINE_FEEDBACK ? `What was wrong with your last attempt: ${GATELINE_FEEDBACK}` : '';
const prompt = `${readFileSync(`prompts/${name}.md`, 'utf8')}\nThe request: ${GATELINE_REQUEST}\n${feedback}`;

const schema = readFileSync(`schemas/${name}.schema.json`, 'utf8');
const options = ['--output-format', 'json', '--json-schema', schema, '--allowedTools', tools];
const { error, status, stdout } = spawnSync('claude', ['-p', ...options, '--add-dir', dirname(GATELINE_REQUEST)], {
  input: prompt,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 ** 2,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (error) {
  const isMissing = error.code === 'ENOENT';
  console.error(isMissing ? 'claude is not installed: npm install -g @anthropic-ai/claude-code' : error.message);
  process.exit(1);
}
// Model, tokens and cost of the session, even if it failed.
writeFileSync(GATELINE_METRICS, stdout);
const { structured_output: output, result } = stdout.startsWith('{') ? JSON.parse(stdout) : { result: stdout };
if (output === undefined) console.error(result);
else writeFileSync(GATELINE_OUTPUT, JSON.stringify(output));
process.exitCode = status ?? 1;
