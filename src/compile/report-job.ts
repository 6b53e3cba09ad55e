import type { JsonObject } from '../json/json.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { NO_DECISION, ONLY_DECISION } from './run-names.ts';
import { checkoutStep, definitionInput, type Around } from './steps.ts';

const MINUTES = 15;

/** Additional tasks of the report job. */
export interface ReportDuties {
  /** Start the run that does work again. */
  readonly sendsBack: boolean;
  readonly readsDecisions: boolean;
}

/** The job that comes last and reports the results of all gates. */
export function reportJob(
  { gates, report: { statuses = 'auto', htmlReport = false, historyBranch } = {} }: Pipeline,
  duties: ReportDuties,
  around: Around,
): JsonObject {
  const marksCommits = statuses === 'gates' || (statuses === 'auto' && duties.sendsBack);
  const isAlways = around.decides ? `\${{ always() && ${NO_DECISION} }}` : 'always()';
  return {
    needs: gates.map(({ id }) => id),
    if: isAlways,
    'runs-on': 'ubuntu-latest',
    'timeout-minutes': MINUTES,
    permissions: {
      contents: historyBranch === undefined ? 'read' : 'write',
      actions: duties.sendsBack ? 'write' : 'read',
      ...(duties.readsDecisions && { checks: 'read' }),
      'pull-requests': 'write',
      ...(marksCommits && { statuses: 'write' }),
    },
    steps: [
      checkoutStep(around),
      {
        uses: around.pins.gateline,
        with: {
          command: 'report',
          ...definitionInput(around),
          needs: '${{ toJSON(needs) }}',
          ...(statuses !== 'auto' && { statuses }),
          ...(htmlReport && { 'html-report': true }),
          ...(historyBranch !== undefined && { 'history-branch': historyBranch }),
        },
      },
    ],
  };
}

/** The job that writes down a person's decision about an output of another run. No agent runs in it. */
export function decideJob(around: Around): JsonObject {
  return {
    if: ONLY_DECISION,
    'runs-on': 'ubuntu-latest',
    'timeout-minutes': MINUTES,
    permissions: { contents: 'read', actions: 'write', checks: 'write' },
    steps: [
      checkoutStep(around),
      { uses: around.pins.gateline, with: { command: 'decide', ...definitionInput(around) } },
    ],
  };
}
