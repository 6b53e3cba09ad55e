import '../../configure-zod.ts';
import { parseToken } from '../gate/gate-job.ts';
import { runAction } from '../run-action.ts';
import { completeGate } from './complete.ts';

/** The action `complete`: judges and publishes the output of the agent. */
runAction(
  'complete',
  (_job, inputs, services) => completeGate(inputs, services),
  ({ token }) => parseToken(token).outageMs,
);
