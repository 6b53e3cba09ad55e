import { ENTRY_PATH } from './entry-name.ts';

/** The only message from the saving process to its parent. */
export type SaveMessage = { readonly saved: number } | { readonly failed: string };

/**
 * Saves the entry in the working directory through GitHub's own client, and reports the result to the parent process.
 * This is all that the process started by `createCheckpointCache` (`saver` of its options) does.
 * @param key of the entry
 */
export async function saveEntry(key: string): Promise<void> {
  process.on('disconnect', () => process.exit());
  // Otherwise a call that never settles would keep the process alive for nothing.
  process.channel?.unref();
  tell(await save(key));
}

async function save(key: string): Promise<SaveMessage> {
  try {
    const { saveCache } = await import('@actions/cache');
    return { saved: await saveCache([ENTRY_PATH], key, undefined, true) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

function tell(message: SaveMessage): void {
  process.send?.(message);
}
