import '../../configure-zod.ts';
import { reportRun } from './report.ts';
import { OUTAGE_MS } from '../inputs.ts';
import { runAction } from '../run-action.ts';

/** The action `report`: shows the whole run, and is the check to require. */
runAction('report', { waitMs: () => OUTAGE_MS, run: reportRun });
