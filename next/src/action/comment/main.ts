import '../../configure-zod.ts';
import { handleComment } from './comment.ts';
import { runAction } from '../run-action.ts';

/** The action `comment`: commands in comments, and comments about runs of forks. */
runAction('comment', { waitMs: () => 60_000, run: handleComment });
