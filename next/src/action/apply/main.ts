import '../../configure-zod.ts';
import { applyFiles } from './apply.ts';
import { OUTAGE_MS } from '../inputs.ts';
import { runAction } from '../run-action.ts';

/** The action `apply`: lays the files of gates into the checkout. */
runAction('apply', { waitMs: () => OUTAGE_MS, run: applyFiles });
