import { GateJobs, WORKFLOW, ACTION, stepOf, type How } from '../gate-jobs.ts';

/** Hands on a value and a file that is no text, so that it has an artifact of its own. */
const PLAN = `
import { writeFileSync, appendFileSync } from 'node:fs';
appendFileSync(process.env.START_LOG, 'plan\\n');
writeFileSync('plan.bin', Buffer.from([0xff, 0, 1, 2, 3]));
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ score: 90, steps: ['one', 'two'] }));
`;

/** Makes its output from what it was handed: value and file. */
const CODE = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const [request, output] = process.argv.slice(2);
appendFileSync(process.env.START_LOG, 'code\\n');
const { needs } = JSON.parse(readFileSync(request, 'utf8'));
const plan = readFileSync('plan.bin').toString('hex');
writeFileSync('code.bin', Buffer.concat([Buffer.from([0xfe]), readFileSync('plan.bin')]));
writeFileSync(output, JSON.stringify({ score: 95, steps: needs.plan.output.steps, plan }));
console.log('the agent is through');
`;

const JOBS = `
on: push
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs: { digest: '\${{ steps.gate.outputs.digest }}' }
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { run: node agents/plan.mjs, inputs: '[]', schema: schema.json, score: /score, files: plan.bin }
  code:
    runs-on: ubuntu-latest
    needs: plan
    outputs: { digest: '\${{ steps.done.outputs.digest }}' }
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with:
          command: begin
          needs: \${{ toJSON(needs) }}
          inputs: '[]'
          schema: schema.json
          score: /score
          files: code.bin
          outage-minutes: 2
      - id: agent
        if: steps.gate.outputs.decision == 'run'
        run: node agents/code.mjs "\${{ steps.gate.outputs.request-file }}" "\${{ steps.gate.outputs.output-file }}"
      - id: done
        if: steps.gate.outputs.decision == 'run'
        uses: ${ACTION}
        with: { command: complete, token: '\${{ steps.gate.outputs.token }}', outage-minutes: 2 }
`;

/** What the second gate's value comes to where nothing is stale. */
export const RIGHT_VALUE = { plan: 'ff00010203', score: 95, steps: ['one', 'two'] };

/** Calls may take a tenth of what they may else: waiting is all that changes. */
export const TIME_LIMITS = { GATELINE_TIME_LIMITS: '0.1' };

/** A run whose first gate is through, and whose second gate was never begun. */
export interface TwoGates extends AsyncDisposable {
  readonly jobs: GateJobs;
  /** Outputs of the first gate's job. */
  readonly needs: { readonly plan: Readonly<Record<string, string>> };
}

/** @param how programs of the action run in its forks */
export async function twoGates(how: How = 'processes'): Promise<TwoGates> {
  const schema = { type: 'object', required: ['score', 'steps'], properties: { score: { type: 'number' } } };
  const agents = { 'agents/plan.mjs': PLAN, 'agents/code.mjs': CODE };
  const jobs = await GateJobs.create({ [WORKFLOW]: JOBS, 'schema.json': JSON.stringify(schema), ...agents }, { how });
  const plan = await jobs.run('plan');
  if (plan.conclusion !== 'success') throw new Error(plan.log.join('\n'));
  if (stepOf(plan, 'gate').outputs['passed'] !== 'true') throw new Error('the first gate did not pass');
  return { jobs, needs: { plan: plan.outputs }, [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose]() };
}
