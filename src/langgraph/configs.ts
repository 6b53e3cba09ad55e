import { getCheckpointId } from '@langchain/langgraph-checkpoint';
import type { RunnableConfig } from '@langchain/core/runnables';
import { checkedId } from './ids.ts';
import type { Scope } from './medium.ts';

/** The place that a config is about. @throws GatelineError `LANGGRAPH_ID_REFUSED` */
export function placeOf(config: RunnableConfig): Scope {
  const { thread_id: thread, checkpoint_ns: namespace } = config.configurable ?? {};
  return { thread: checkedId('thread_id', thread), namespace: checkedId('checkpoint_ns', namespace ?? '') };
}

/** The checkpoint that a config is about, if it names one. @throws GatelineError `LANGGRAPH_ID_REFUSED` */
export function checkpointOf(config: RunnableConfig): string | undefined {
  const given: unknown = config.configurable?.['checkpoint_id'] ?? '';
  const id = given === '' ? getCheckpointId(config) : given;
  return id === '' ? undefined : checkedId('checkpoint_id', id);
}

/** The config of a checkpoint. */
export function configOf({ thread, namespace }: Scope, id: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
}
