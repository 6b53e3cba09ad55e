import { emptyCheckpoint, uuid6, type CheckpointMetadata, type CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { GatelineSaver } from '../../src/langgraph/index.ts';

type Config = Parameters<GatelineSaver['put']>[0];
type Versions = Readonly<Record<string, number>>;

let clock = 0;

/** The config of a place, and of a checkpoint in it. */
export function at(thread_id: string, checkpoint_ns = '', checkpoint_id?: string): Config {
  return { configurable: { thread_id, checkpoint_ns, ...(checkpoint_id === undefined ? {} : { checkpoint_id }) } };
}

/** Puts a checkpoint with these values. @param fresh the channels with a new version; default: all */
export async function put(
  saver: GatelineSaver,
  parent: Config,
  values: Readonly<Record<string, unknown>>,
  options: {
    readonly versions?: Versions;
    readonly fresh?: readonly string[];
    readonly metadata?: object;
    readonly id?: string;
  } = {},
): Promise<Config> {
  clock += 1;
  const versions = options.versions ?? Object.fromEntries(Object.keys(values).map((channel) => [channel, clock]));
  const fresh = options.fresh ?? Object.keys(values);
  const metadata = { source: 'loop', step: clock, parents: {}, ...options.metadata } as CheckpointMetadata;
  return saver.put(
    parent,
    {
      ...emptyCheckpoint(),
      id: options.id ?? uuid6(clock),
      channel_values: { ...values },
      channel_versions: { ...versions },
    },
    metadata,
    Object.fromEntries(fresh.map((channel) => [channel, versions[channel]!])),
  );
}

export async function valuesAt(saver: GatelineSaver, config: Config): Promise<unknown> {
  return (await saver.getTuple(config))?.checkpoint.channel_values;
}

export async function all(tuples: AsyncIterable<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const found: CheckpointTuple[] = [];
  for await (const tuple of tuples) found.push(tuple);
  return found;
}

export function idOf(config: Config): string {
  return config.configurable?.['checkpoint_id'] as string;
}
