import '../../configure-zod.ts';
import { runAction } from '../run-action.ts';
import { reportRun } from './report.ts';

/** The action `report`: shows the whole run, and is the check to require. */
runAction('report', reportRun);
