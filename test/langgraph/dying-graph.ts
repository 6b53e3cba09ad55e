/**
 * Runs or resumes a thread of a graph with a loop and two nodes side by side, and prints its log. Arguments: folder;
 * file that gets a line for each start of a node; where to die by SIGKILL: `node left 1`, or `call 5` of the saver.
 */
import { appendFileSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { createFileCheckpointer } from '../../src/langgraph/index.ts';

const [folder = '', starts = '', death = ''] = process.argv.slice(2);

function dieAt(moment: string): void {
  if (moment === death) process.kill(process.pid, 'SIGKILL');
}

const saver = createFileCheckpointer(folder);
let calls = 0;
for (const name of ['put', 'putWrites'] as const) {
  const call = saver[name].bind(saver) as (...args: unknown[]) => Promise<unknown>;
  const counted = async (...args: unknown[]) => {
    const result = await call(...args);
    dieAt(`call ${(calls += 1)}`);
    return result;
  };
  Object.assign(saver, { [name]: counted });
}

const State = Annotation.Root({
  round: Annotation<number>,
  log: Annotation<string[]>({ reducer: (before, added) => [...before, ...added], default: () => [] }),
});

function node(name: string) {
  return ({ round }: typeof State.State) => {
    const line = `${name} ${round}`;
    appendFileSync(starts, `${line}\n`);
    dieAt(`node ${line}`);
    return name === 'join' ? { log: [line], round: round + 1 } : { log: [line] };
  };
}

const graph = new StateGraph(State)
  .addNode('plan', node('plan'))
  .addNode('left', node('left'))
  .addNode('right', node('right'))
  .addNode('join', node('join'))
  .addEdge(START, 'plan')
  .addEdge('plan', 'left')
  .addEdge('plan', 'right')
  .addEdge(['left', 'right'], 'join')
  .addConditionalEdges('join', ({ round }) => (round < 3 ? 'plan' : END))
  .compile({ checkpointer: saver });

const config = { configurable: { thread_id: 'PRD/7' }, durability: 'sync' as const };
const isBegun = (await saver.getTuple(config)) !== undefined;
const { log } = await graph.invoke(isBegun ? null : { round: 0 }, config);
console.log(log.join());
