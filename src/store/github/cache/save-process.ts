import { z } from 'zod';
import { GITHUB_VARIABLES } from '../../../environment.ts';
import { messageOf } from '../../../errors/gateline-error.ts';
import { ENTRY_PATH } from './entry-name.ts';

/** The only message to the saving process. */
export interface SaveOrder {
  /** Of the entry. */
  readonly key: string;
  /** Folder that the entry's files are in, which becomes the working directory. */
  readonly folder: string;
  /** For the toolkit's own files: its `RUNNER_TEMP`. */
  readonly temp: string;
}

/** The only message from the saving process to its parent. */
export type SaveMessage = { readonly saved: number } | { readonly failed: string };

const orderSchema: z.ZodType<SaveOrder> = z.strictObject({ key: z.string(), folder: z.string(), temp: z.string() });

/**
 * Loads GitHub's own client, waits for an order, saves the entry, and reports the result to the parent process. This is
 * all that the process started by `createCheckpointCache` (`saver` of its options) does.
 * @param environment of this process, which the toolkit reads: its `RUNNER_TEMP` is set
 */
export function saveEntry(environment: NodeJS.ProcessEnv): void {
  process.on('disconnect', () => process.exit());
  const client = import('@actions/cache');
  // The order gets the error.
  client.catch(() => undefined);
  const save = async (order: unknown): Promise<SaveMessage> => {
    const { key, folder, temp } = orderSchema.parse(order);
    process.chdir(folder);
    environment[GITHUB_VARIABLES.temp] = temp;
    const { saveCache } = await client;
    return { saved: await saveCache([ENTRY_PATH], key, undefined, true) };
  };
  process.once('message', (order: unknown) => {
    // Otherwise a call that never settles would keep the process alive for nothing.
    process.channel?.unref();
    void save(order)
      .catch((error: unknown) => ({ failed: messageOf(error) }))
      .then((result) => process.send?.(result));
  });
}
