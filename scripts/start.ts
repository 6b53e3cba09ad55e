import { join } from 'node:path';
import { build } from './build.ts';
import { ROOT, run } from './run.ts';

/** `npm start`: builds, and runs the example pipeline. Arguments after `--` are passed to `gateline run`. */
const EXAMPLE = join('examples', 'web-tests');

await build(join(ROOT, 'dist'));
const args = ['run', ...process.argv.slice(2)];
process.stderr.write(`\n${EXAMPLE}: gateline ${args.join(' ')}\n`);
run(process.execPath, [join(ROOT, 'dist', 'cli.js'), ...args], { cwd: join(ROOT, EXAMPLE) });
