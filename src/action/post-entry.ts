import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * The post step, as a file of its own: the runner starts main and post alike, but for the file, and a variable that told
 * them apart could be set by a step before. Not bundled: `dist/post.js` is this file, beside `dist/index.js`, which it
 * starts with an argument. So it imports nothing of ours by name.
 */
argv.splice(1, Infinity, fileURLToPath(new URL('index.js', import.meta.url)), 'post');
await import('./index.ts');
