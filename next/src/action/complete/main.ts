import '../../configure-zod.ts';
import { parseToken } from '../gate/gate-job.ts';
import { completeGate } from './complete.ts';
import { runAction } from '../run-action.ts';

/** The action `complete`: judges and publishes what the agent wrote. */
runAction('complete', {
  waitMs: ({ token }) => parseToken(token).outageMs,
  run: (_job, inputs, services) => completeGate(inputs, services),
});
