import '../../configure-zod.ts';
import { runAction } from '../run-action.ts';
import { reportRun } from './report.ts';

/** The action `report`: reports the whole run. It is the check to require. */
runAction('report', reportRun);
