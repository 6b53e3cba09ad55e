import { ENTRY_PATH } from './entry-name.ts';

/** What the process that saves tells the one that started it, once. */
export type SaveMessage = { readonly saved: number } | { readonly failed: string };

/**
 * Saves the entry that lies in the working directory by GitHub's own client, and tells the process that started this
 * one. It is the whole work of a process that `createCheckpointCache` starts (`saver` of its options); it ends with it.
 * @param key of the entry
 */
export async function saveEntry(key: string): Promise<void> {
  process.on('disconnect', () => process.exit());
  // Else a call that never settles would keep the process alive for nothing.
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
