/** The process that `createCheckpointCache` starts to save an entry, as the action's own entry point is one. */
import { saveEntry } from '../../../../src/store/github/cache/save-process.ts';

saveEntry(process.env);
