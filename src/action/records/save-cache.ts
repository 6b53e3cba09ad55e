/** The argument with which the action's own program saves a cache entry, in a process of its own; the entry's key follows. */
export const SAVE_CACHE = 'save-cache';
