import { join } from 'node:path';
import { EXAMPLE, exampleArguments } from './example.mjs';
import { install } from './install.mjs';
import { ROOT, run, script } from './steps.mjs';

// `npm start`: install, build, run the example. Arguments after `--` are passed to `gateline run`; with `--verbose` it
// prints the output of agents.
await script(async () => {
  const node = await install();
  await run({ name: 'build', command: [node, join(ROOT, 'scripts', 'build.mjs')], shown: 'npm run build' });
  const args = exampleArguments(process.argv.slice(2));
  await run({
    name: 'examples/web-tests',
    command: [node, join(ROOT, 'dist', 'cli', 'index.js'), ...args],
    shown: `gateline ${args.join(' ')}`,
    cwd: EXAMPLE,
    live: true,
  });
});
