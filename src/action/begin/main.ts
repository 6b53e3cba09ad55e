import '../../configure-zod.ts';
import { beginGate } from '../gate/gate.ts';
import { outageMsOf } from '../inputs.ts';
import { runAction } from '../run-action.ts';

/** The action `begin`: prepares the agent that is the next step. */
runAction('begin', beginGate, outageMsOf);
