import { createFileCheckpointer } from '../../src/langgraph/index.ts';
import { INPUT, loopingGraph } from './looping-graph.ts';

/*
 * Runs or resumes a thread of the looping graph, and prints its log. It is killed by itself: at the start of the node
 * `DIE_AT`, or after so many operations of the checkpointer as `DIE_AFTER` says.
 */
const [folder = '', thread_id = '', starts = ''] = process.argv.slice(2);
const { DIE_AT = '', DIE_AFTER = 'Infinity' } = process.env;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

const saver = createFileCheckpointer(folder);
let left = Number(DIE_AFTER);
let operations = 0;
for (const name of ['put', 'putWrites'] as const) {
  const own = saver[name].bind(saver) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(saver, {
    [name]: async (...args: unknown[]) => {
      const answer = await own(...args);
      operations += 1;
      left -= 1;
      if (left <= 0) die();
      return answer;
    },
  });
}
const graph = loopingGraph(saver, starts, (line) => {
  if (line === DIE_AT) die();
});
const config = { configurable: { thread_id }, durability: 'sync' as const };
const isBegun = (await saver.getTuple(config)) !== undefined;
const { log } = await graph.invoke(isBegun ? null : INPUT, config);
console.log(JSON.stringify({ log, operations }));
