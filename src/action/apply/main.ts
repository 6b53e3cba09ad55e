import '../../configure-zod.ts';
import { runAction } from '../run-action.ts';
import { applyFiles } from './apply.ts';

/** The action `apply`: writes the files of gates into the checkout. */
runAction('apply', applyFiles);
