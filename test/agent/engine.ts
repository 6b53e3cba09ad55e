/** An engine that prepares an agent, prints its process, and says the word unless told to `wait`; tests kill it. */
import { createAgents } from '../../src/agent/process.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';

const [directory = '', command = '', mode] = process.argv.slice(2);
const prepared = await createAgents().prepare({
  directory,
  command,
  shell: 'bash',
  workingDirectory: directory,
  env: { PATH: process.env['PATH'] ?? '', GATELINE_OUTPUT: `${directory}/output.json` },
  timeoutMs: 600_000,
  redactor: createRedactor({}),
});
process.stdout.write(`${JSON.stringify(prepared.process)}\n`);
if (mode !== 'wait') await prepared.run(new AbortController().signal);
