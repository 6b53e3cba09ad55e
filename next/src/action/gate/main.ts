import '../../configure-zod.ts';
import { outageMsOf } from '../inputs.ts';
import { runGate } from './gate.ts';
import { runAction } from '../run-action.ts';

/** The action `gate`: runs the gate of this job. */
runAction('gate', { waitMs: outageMsOf, run: runGate });
