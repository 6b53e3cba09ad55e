import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { appendFileSync } from 'node:fs';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';

/** How often the graph goes round. */
export const ROUNDS = 3;

const State = Annotation.Root({
  round: Annotation<number>,
  /** What the nodes wrote, in the order in which it was applied. */
  log: Annotation<string[]>({ reducer: (before, added) => [...before, ...added], default: () => [] }),
  /** Never changes, and is large enough to be kept by its digest. */
  brief: Annotation<string>,
});

/** Input of the graph. */
export const INPUT = { round: 0, brief: 'x'.repeat(40_000) };

/** What the graph ends with. */

/** A graph with a loop and two nodes side by side. Each start of a node is a line of the file `starts`. */
export function loopingGraph(
  checkpointer: BaseCheckpointSaver,
  starts: string,
  onStart: (line: string) => void = () => {},
) {
  const node = (name: string, next: (round: number) => number) => (state: typeof State.State) => {
    const line = `${name} ${state.round}`;
    appendFileSync(starts, `${line}\n`);
    onStart(line);
    return name === 'join' ? { log: [line], round: next(state.round) } : { log: [line] };
  };
  const same = (round: number): number => round;
  return new StateGraph(State)
    .addNode('plan', node('plan', same))
    .addNode('left', node('left', same))
    .addNode('right', node('right', same))
    .addNode(
      'join',
      node('join', (round) => round + 1),
    )
    .addEdge(START, 'plan')
    .addEdge('plan', 'left')
    .addEdge('plan', 'right')
    .addEdge(['left', 'right'], 'join')
    .addConditionalEdges('join', ({ round }) => (round < ROUNDS ? 'plan' : END))
    .compile({ checkpointer });
}
