import { beginGate } from '../../engine/begin.ts';
import { AGENT_VARIABLES } from '../../environment.ts';
import { orBlocked } from '../step/blocked-gate.ts';
import { engineLog } from '../step/engine-log.ts';
import { setGateOutputs, reportGate } from '../step/gate-step.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openJob } from '../job/job.ts';
import { warnOfPermissions } from '../step/wide-permissions.ts';
import type { OutputName } from '../outputs.ts';

/** The outputs that name files of the attempt. */
const FILES: readonly (readonly [OutputName, string])[] = [
  ['request-file', AGENT_VARIABLES.request],
  ['output-file', AGENT_VARIABLES.output],
  ['metrics-file', AGENT_VARIABLES.metrics],
  ['learnings-file', AGENT_VARIABLES.learnings],
  ['feedback-file', AGENT_VARIABLES.feedback],
];

/** `command: begin`: everything before the agent, which runs in the following steps. */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { runner } = invocation.world;
  const job = await openJob(invocation);
  await warnOfPermissions(invocation);
  const begun = await orBlocked(invocation, job, engineLog(runner), (observe) =>
    beginGate(job.ports, job.assignment, job.key, observe, { job: job.call }),
  );
  if (begun.choice === 'done') return reportGate(invocation, job, begun);
  setGateOutputs(invocation, job, { ...begun, ended: undefined });
  runner.setOutput('token', begun.token);
  runner.setOutput('attempt', begun.started.n);
  runner.setOutput('attempt-directory', begun.directory);
  for (const [output, variable] of FILES) {
    const path = begun.variables[variable];
    if (path !== undefined) runner.setOutput(output, path);
  }
  return { ok: true, title: 'Gate begun', message: `gate ${job.key}: attempt ${begun.started.n} started` };
}
