/** The argument that makes the action's program save a cache entry, in a separate process. */
export const SAVE_CACHE = 'save-cache';
