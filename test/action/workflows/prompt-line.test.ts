import { expect, it } from 'vitest';
import { ActionWorld, outputsOf, redJobs, WORKFLOW } from './action-world.ts';
import { IS_FULL } from '../../support/test-size.ts';

/** An agent that is an action of somebody else: it knows nothing of gates, and answers its prompt. */
const CODER: Readonly<Record<string, string>> = {
  'coder/action.yml': `
name: coder
inputs: { prompt: { required: true }, answer-file: { required: true } }
runs: { using: node24, main: index.cjs }
`,
  'coder/index.cjs': `
const { appendFileSync, writeFileSync } = require('node:fs');
const { env } = process;
appendFileSync(env.START_LOG, 'one 1 ' + process.pid + '\\n');
writeFileSync(env['INPUT_ANSWER-FILE'], JSON.stringify({ score: 90, answer: 'to: ' + env.INPUT_PROMPT }));
`,
};

const TEXT = `
name: gates
on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: gateline/gateline@v1
        with: { command: begin, inputs: '[]', score: /score }
      - if: steps.gate.outputs.decision == 'run'
        uses: ./coder
        with:
          prompt: Write a plan.
          answer-file: \${{ steps.gate.outputs.output-file }}
      - if: steps.gate.outputs.decision == 'run'
        uses: gateline/gateline@v1
        with: { command: complete, token: '\${{ steps.gate.outputs.token }}', expose-output: true }
`;

it.runIf(IS_FULL)(
  'runs a gate around an action again when a line of its prompt changed, and not when another file did',
  async () => {
    await using world = await ActionWorld.create({ ...CODER, [WORKFLOW]: TEXT, 'notes.md': 'one\n' });
    const { repository } = world;
    const decision = async (): Promise<string> => {
      const report = await (await world.run()).start().ended;
      expect(redJobs(report)).toEqual([]);
      return outputsOf(report.job('one'))['decision']!;
    };
    expect(await decision()).toBe('run');
    expect(await world.startedGates()).toEqual(['one']);

    await repository.write('notes.md', 'two\n');
    await repository.commitAll('another file');
    expect(await decision()).toBe('reuse');
    expect(await world.startedGates()).toEqual([]);

    await repository.edit(WORKFLOW, 'Write a plan.', 'Write a short plan.');
    await repository.commitAll('another prompt');
    expect(await decision()).toBe('run');
    expect(await world.startedGates()).toEqual(['one']);

    await repository.edit(WORKFLOW, 'Write a short plan.', 'Write a plan.');
    await repository.commitAll('the prompt as it was');
    expect(await decision()).toBe('reuse');
    expect(await world.startedGates()).toEqual([]);
  },
);
