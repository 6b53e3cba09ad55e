import { argv, env } from 'node:process';
import { startAction } from './main.ts';
import { SAVE_CACHE } from './records/save-cache.ts';

if (argv[2] === SAVE_CACHE) {
  const { saveEntry } = await import('../store/github/cache/save-process.ts');
  saveEntry(env);
} else {
  // `post-entry.ts` passes the argument; no earlier step can set it.
  startAction(argv[2] === 'post' ? 'post' : 'main', env, {
    commands: {
      run: async () => (await import('./commands/run.ts')).execute,
      begin: async () => (await import('./commands/begin.ts')).execute,
      complete: async () => (await import('./commands/complete.ts')).execute,
      plan: async () => (await import('./commands/plan.ts')).execute,
      report: async () => (await import('./commands/report.ts')).execute,
      waves: async () => (await import('./commands/waves.ts')).execute,
      set: async () => (await import('./commands/set.ts')).execute,
      decide: async () => (await import('./commands/decide.ts')).execute,
      apply: async () => (await import('./commands/apply.ts')).execute,
      clean: async () => (await import('./commands/clean.ts')).execute,
      comment: async () => (await import('./commands/comment.ts')).execute,
    },
    settle: async () => (await import('./commands/settle-claim.ts')).settleClaim,
  });
}
