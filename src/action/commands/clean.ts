import { GatelineError } from '../../errors/gateline-error.ts';
import { systemClock } from '../../github/clock.ts';
import { createRestClient } from '../../github/rest/rest.ts';
import { bytesText, count } from '../../report/text.ts';
import { removeOld, type CleanResult } from '../clean/remove-old.ts';
import { RequestLimit } from '../clean/request-limit.ts';
import { timeLimits } from '../inputs/time-limits.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';

/**
 * `command: clean`: removes artifacts of old runs and cache entries that nobody used, with at most 300 requests. For a
 * workflow of its own, without an agent: its token may remove every artifact of the repository.
 * @throws GatelineError `CLEAN_UNKNOWN`, `CLEAN_WITHOUT_TOKEN`, and those of the REST API
 */
export async function execute({ world, inputs, event }: ActionInvocation): Promise<StepResult> {
  const { githubToken: token, dryRun, older } = inputs;
  if (token === undefined) throw new GatelineError('CLEAN_WITHOUT_TOKEN', 'command clean: `github-token` is empty');
  const limit = new RequestLimit();
  const rest = createRestClient({
    apiUrl: event.apiUrl,
    token,
    repository: event.repository,
    signal: world.signal,
    onRequest: () => limit.count(),
  });
  const { pauseMs } = timeLimits(world.environment, world.runner).removal;
  const before = new Date(world.now().getTime() - older);
  const { signal } = world;
  const result = await removeOld({ rest, limit, before, dryRun, pauseMs, clock: systemClock, signal });
  const lines = linesOf(result, dryRun);
  for (const line of lines) world.runner.info(line);
  if (inputs.summary) await world.runner.appendSummary(`## Old runs\n\n${lines.map((line) => `- ${line}\n`).join('')}`);
  return { ok: true, title: 'Clean', message: lines[0]! };
}

function linesOf({ runs, artifacts, caches, kept, isLeft }: CleanResult, dryRun: boolean): string[] {
  const what = [
    `${count(artifacts.count, 'artifact')} of ${count(runs.length, 'run')} (${bytesText(artifacts.bytes)})`,
    `${caches.count === 1 ? '1 cache entry' : `${caches.count} cache entries`} (${bytesText(caches.bytes)})`,
  ].join(' and ');
  return [
    `${dryRun ? 'Would remove' : 'Removed'} ${what}.`,
    ...[...kept].map(([why, number]) => `Keeps ${count(number, 'run')} with old artifacts: ${why}.`),
    ...(isLeft ? ['More may be left: the next run continues.'] : []),
  ];
}
