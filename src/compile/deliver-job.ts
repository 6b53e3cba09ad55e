import type { JsonObject } from '../json/json.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Delivery } from '../pipeline/job-settings.ts';
import { checkoutStep, definitionInput, literal, type Around } from './steps.ts';

const MINUTES = 15;

/** The token of a run for a fork can only read. */
const NO_FORK =
  "github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository";

/** Settings of the delivery job, besides `deliver`. */
export interface DeliveryPlace {
  /** Id of the report's job. */
  readonly report: string;
  readonly readsDecisions: boolean;
}

/**
 * The job that comes after a green report and delivers the files of gates. No agent runs in it. It needs all gates
 * for their digests; GitHub skips it if one of these jobs did not succeed.
 */
export function deliverJob(
  { gates }: Pipeline,
  { as, gates: delivered, allow, learnings }: Delivery,
  { report, readsDecisions }: DeliveryPlace,
  around: Around,
): JsonObject {
  return {
    needs: [...gates.map(({ id }) => id), report],
    ...(as !== 'patch' && { if: NO_FORK }),
    'runs-on': 'ubuntu-latest',
    'timeout-minutes': MINUTES,
    permissions: {
      contents: as === 'patch' ? 'read' : 'write',
      actions: 'read',
      ...(readsDecisions && { checks: 'read' }),
      ...(as === 'pull-request' ? { 'pull-requests': 'write' } : readsDecisions && { 'pull-requests': 'read' }),
    },
    steps: [
      checkoutStep(around),
      {
        uses: around.pins.gateline,
        with: {
          command: 'apply',
          ...definitionInput(around),
          needs: '${{ toJSON(needs) }}',
          gates: delivered.join(', '),
          deliver: as,
          ...(allow.length > 0 && { allow: literal(allow.join('\n')) }),
          ...(learnings && { learnings }),
        },
      },
    ],
  };
}
