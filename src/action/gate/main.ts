import '../../configure-zod.ts';
import { outageMsOf } from '../inputs.ts';
import { runAction } from '../run-action.ts';
import { runGate } from './gate.ts';

/** The action `gate`: runs the gate of this job. */
runAction('gate', runGate, outageMsOf);
