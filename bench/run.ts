import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { coldStart } from './cold-start.ts';
import { gateOverhead } from './gate-overhead.ts';
import { inProcess } from './in-process.ts';
import { localRuns } from './local-runs.ts';
import { langgraph } from './langgraph.ts';
import { HEAD, rowOf } from './measure.ts';
import { worktrees } from './worktrees.ts';

/*
 * `npm run bench`: durations, each with a baseline measured at the same time. The ratios can be compared across
 * machines, the milliseconds cannot. An argument names a bundle other than dist/cli/index.js. docs/benchmarks.md
 * contains the output of one run.
 */
if (import.meta.main) {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`;
  console.log(`Node ${process.versions.node}, ${process.platform} ${process.arch}, ${machine}\n\n${HEAD}`);
  const [bundle] = process.argv.slice(2);
  for (const figure of await coldStart(bundle && resolve(bundle))) console.log(rowOf(figure));
  for (const figure of await localRuns(bundle && resolve(bundle))) console.log(rowOf(figure));
  for (const figure of await inProcess()) console.log(rowOf(figure));
  for (const figure of await langgraph()) console.log(rowOf(figure));
  for (const figure of await worktrees()) console.log(rowOf(figure));
  const { figures, requests } = await gateOverhead();
  for (const figure of figures) console.log(rowOf(figure));
  console.log(
    `\nRequests:\n${Object.entries(requests)
      .map(([what, count]) => `- ${what}: ${count}`)
      .join('\n')}`,
  );
}
