import { join } from 'node:path';
import { build } from './build.ts';
import { ROOT, run } from './run.ts';

/** `npm start`: builds, and runs the example pipeline. Arguments after `--` are passed to `gateline run`. */
const EXAMPLE = join('examples', 'web-tests');

await build(join(ROOT, 'dist'));
process.stderr.write(`\n${EXAMPLE}: gateline run\n`);
run(process.execPath, [join(ROOT, 'dist', 'cli.js'), 'run', ...process.argv.slice(2)], { cwd: join(ROOT, EXAMPLE) });
