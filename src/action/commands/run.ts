import type { Agent } from '../../agent/agent.ts';
import { runGate } from '../../engine/begin.ts';
import { ACTION_STATE } from '../../environment.ts';
import { orBlocked } from '../step/blocked-gate.ts';
import { engineLog } from '../step/engine-log.ts';
import { reportGate } from '../step/gate-step.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { openJob } from '../job/job.ts';
import { warnOfPermissions } from '../step/wide-permissions.ts';
import type { Runner } from '../runner.ts';

/** `command: run`: the whole gate in one step. */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { runner, signal } = invocation.world;
  const job = await openJob(invocation);
  await warnOfPermissions(invocation);
  const quoting = quotedAgent(job.ports.agent, runner);
  const ports = { ...job.ports, agent: quoting.agent };
  const result = await orBlocked(invocation, job, engineLog(runner, quoting.print, job.call.commit), (observe) =>
    runGate(ports, job.assignment, job.key, { observe, signal, job: job.call }),
  );
  const step = await reportGate(invocation, job, result);
  await job.store.settled();
  return step;
}

/** An agent whose output lines are printed as they are while it works, but cannot act as commands to the runner. */
function quotedAgent(agent: Agent, runner: Runner): { readonly agent: Agent; readonly print: (line: string) => void } {
  let print: (line: string) => void = () => undefined;
  return {
    print: (line) => print(line),
    agent: {
      ...agent,
      run: async (task) => {
        runner.saveState(ACTION_STATE.agentExit, '');
        const result = await runner.quote((quoted) => {
          print = quoted;
          return agent.run(task);
        });
        // From here on the post step could do the rest.
        const { outcome, exitCode } = result;
        if (outcome === 'exited' && exitCode !== undefined) runner.saveState(ACTION_STATE.agentExit, String(exitCode));
        return result;
      },
    },
  };
}
