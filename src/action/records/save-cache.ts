/** The argument that makes the action's program save a cache entry, in a separate process; the entry's key follows. */
export const SAVE_CACHE = 'save-cache';
