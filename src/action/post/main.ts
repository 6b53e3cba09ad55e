import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { currentEnvironment, readStepState } from '../../environment.ts';
import { runStep } from '../step.ts';

/** The post step of `gate` and `begin`: uploads a document that the step could not upload before it was ended. */
runStep(async (runner) => {
  const environment = currentEnvironment();
  const { folder, isPublished: isDone } = readStepState(environment);
  if (!folder || isDone) return true;
  const has = (name: string) =>
    access(join(folder, name)).then(
      () => true,
      () => false,
    );
  const [isEnded, isPublished] = await Promise.all([has('end.json'), has('published.json')]);
  if (!isEnded) {
    // Only a warning, because a job whose step was lost is red anyway.
    if (!isPublished)
      runner.annotate(
        'warning',
        'No step `complete` has ended what `begin` began: later jobs get nothing of this gate.',
      );
    return true;
  }
  // Loaded here, because most steps have returned by now.
  await import('../../configure-zod.ts');
  const { publishLate } = await import('./publish-late.ts');
  await publishLate(folder, environment, runner);
  return true;
});
