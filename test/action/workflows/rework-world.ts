import { ActionWorld, WORKFLOW } from './action-world.ts';
import type { ServiceOptions } from '../../support/github/results-service.ts';
import { ACTION, agent, CHECKOUT, workflowOf, type Keys } from './workflow-text.ts';

const PLAN = `  plan:
    run: |
      ${indented(agent({ plan: 1 }))}
    inputs: [topic.txt]
`;

/** What the review says of a file of that many lines, and its contract. */
const REVIEWS = {
  /** A file that is long enough passes. */
  scores: (enough: number) => ({
    answer: `score=$(( $(wc -l < article.md) >= ${enough} ? 90 : 40 ))
echo "{\\"score\\": $score}"`,
    output: '{ score: /score, threshold: 80 }',
  }),
  /** A file that is long enough waits for a person. */
  pauses: (enough: number) => ({
    answer: `[ $(wc -l < article.md) -ge ${enough} ] && said='"score": 40, "done": true' || said='"score": 90, "done": false'
echo "{$said}"`,
    output: '{ score: /score, threshold: 80, partial: pause, checks: output.done == true }',
  }),
};

function pipelineText(enough: number, max: number, isPlanned: boolean, kind: keyof typeof REVIEWS): string {
  const { answer, output } = REVIEWS[kind](enough);
  return `pipeline: article
gates:
${isPlanned ? PLAN : ''}  write:
    ${isPlanned ? 'needs: plan' : 'needs: []'}
    run: |
      ${indented(agent({ done: true }, 'echo line >> article.md'))}
    inputs: [topic.txt, article.md]
    files: [article.md]
  review:
    needs: write
    run: |
      ${indented(`echo "review 1 $$" >> "$START_LOG"\n{ ${answer}; } > "$GATELINE_OUTPUT"`)}
    inputs: [article.md]
    output: ${output}
    on-fail: { goto: write, max-iterations: ${max} }
`;
}

function indented(text: string): string {
  return text.trimEnd().split('\n').join('\n      ');
}

const gate = (id: string, needs: readonly string[] = []): Keys => ({
  'runs-on': 'ubuntu-latest',
  ...(needs.length > 0 && { needs: [...needs] }),
  outputs: { gate: '${{ steps.gate.outputs.gate }}', digest: '${{ steps.gate.outputs.digest }}' },
  steps: [
    CHECKOUT,
    { id: 'gate', uses: ACTION, with: { gate: id, ...(needs.length > 0 && { needs: '${{ toJSON(needs) }}' }) } },
  ],
});

const REPORT_PERMISSIONS = { actions: 'write', contents: 'read', statuses: 'write', 'pull-requests': 'write' };

/** How a world of rework differs. */
export interface ReworkOptions extends ServiceOptions {
  /** In which iteration the review passes; default 2. */
  readonly passes?: number;
  /** Whether there is a gate before the target; default false. */
  readonly plan?: boolean;
  readonly max?: number;
  /** What the review says of work that it does not send back; default `scores`. */
  readonly review?: keyof typeof REVIEWS;
  readonly permissions?: Keys;
  /** The input `statuses` of the report; default `auto`. */
  readonly statuses?: string;
  /** The trigger of the workflow. */
  readonly on?: Keys;
  /** Jobs that the report needs, too. */
  readonly jobs?: Readonly<Record<string, Keys>>;
  /** Jobs that it does not need. */
  readonly beside?: Readonly<Record<string, Keys>>;
}

export const ON: Keys = {
  push: {},
  pull_request: {},
  workflow_dispatch: {
    inputs: { resume: { type: 'string' }, rework: { type: 'string' }, subject: { type: 'string' } },
  },
};

/** plan → write → review; a review that finds too few lines sends the work back to write, in another run. */
export function reworkWorld(options: ReworkOptions = {}): Promise<ActionWorld> {
  const {
    passes = 2,
    plan = false,
    max = 4,
    review = 'scores',
    permissions = REPORT_PERMISSIONS,
    statuses = 'auto',
    on = ON,
    jobs: more = {},
    beside = {},
    ...service
  } = options;
  const gates = {
    ...(plan && { plan: gate('plan') }),
    write: gate('write', plan ? ['plan'] : []),
    review: gate('review', ['write']),
  };
  const report: Keys = {
    'runs-on': 'ubuntu-latest',
    needs: [...Object.keys(gates), ...Object.keys(more)],
    if: 'always()',
    permissions,
    steps: [
      CHECKOUT,
      { id: 'report', uses: ACTION, with: { command: 'report', needs: '${{ toJSON(needs) }}', statuses } },
    ],
  };
  const title =
    "${{ inputs.rework && format('Rework of {0}#{1}', inputs.resume, fromJSON(inputs.rework).count) || '' }}";
  const files = {
    'gateline.yml': pipelineText(passes, max, plan, review),
    'topic.txt': 'barriers\n',
    'article.md': '',
    [WORKFLOW]: workflowOf({ ...gates, ...more, ...beside, report }, { on, 'run-name': title }),
  };
  return ActionWorld.create(files, service);
}
