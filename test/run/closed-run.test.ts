import { expect, it } from 'vitest';
import { decide } from '../../src/engine/decide/decide.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { runPipeline } from '../../src/engine/run.ts';
import { attemptOf, type AttemptRef } from '../../src/run/entry.ts';
import { attemptKey } from '../../src/run/state.ts';
import type { Answer } from '../oracle/memory-agents.ts';
import { BY, Simulation } from '../oracle/simulation.ts';
import { extend } from '../oracle/watched-ports.ts';
import { createPipeline, orderOf } from '../support/pipelines.ts';

it('logs an attempt in the run of its directory, also if somebody closes the run in between', async () => {
  const pipeline = createPipeline([{ id: 'a' }, { id: 'b' }]);
  let answer: Answer = { exitCode: 1 };
  const user = new Simulation(1, { paths: ['x'], careful: true, behaviorOf: () => async () => answer });
  const run = (ports: Ports) => runPipeline(ports, orderOf(pipeline), new AbortController().signal);
  user.oracle.beginCall(pipeline, 'main', false);
  await user.quietly(pipeline, {}, run);
  answer = { output: {} };
  const directories = new Map<string, AttemptRef>();
  user.oracle.beginCall(pipeline, 'main', false);
  const entries = await user.quietly(pipeline, {}, async (ports) => {
    const [closed, learned] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    // The turn of `b` learns that the run was closed while `a` has a directory, and no entry.
    const log = extend(ports.log, {
      read: async () => {
        if ((reads += 1) === 3) await closed.promise;
        return ports.log.read();
      },
    });
    const attempts = extend(ports.attempts, {
      create: async (attempt) => {
        directories.set(attempt.unit, attempt);
        if (attempt.unit === 'b') learned.resolve();
        else {
          await decide(ports, orderOf(pipeline), { decision: 'close' }, BY);
          closed.resolve();
          await learned.promise;
        }
        return ports.attempts.create(attempt);
      },
    });
    await run({ ...ports, log, attempts });
    return ports.log.read();
  });
  const started = entries.flatMap((entry) => (entry.kind === 'started' ? [attemptOf(entry)] : [])).slice(2);
  expect(started.map((attempt) => attemptKey(attempt)).sort()).toEqual(['main/1/a/2', 'main/2/b/1']);
  expect(started).toEqual(started.map(({ unit }) => directories.get(unit)));
});
