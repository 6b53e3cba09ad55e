import '../../configure-zod.ts';
import { runAction } from '../run-action.ts';
import { handleComment } from './comment.ts';

/** The action `comment`: commands in comments, and comments about runs of forks. */
runAction('comment', handleComment, () => 60_000);
