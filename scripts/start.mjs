import { join } from 'node:path';
import { install } from './install.mjs';
import { ROOT, run, script } from './steps.mjs';

// `npm start`: install, build, run the example. What follows `--` goes to `gateline run`.
await script(async () => {
  const node = await install();
  await run({ name: 'build', command: [node, join(ROOT, 'scripts', 'build.mjs')], shown: 'npm run build' });
  const args = ['run', ...process.argv.slice(2)];
  await run({
    name: 'examples/web-tests',
    command: [node, join(ROOT, 'dist', 'cli', 'index.js'), ...args],
    shown: `gateline ${args.join(' ')}`,
    cwd: join(ROOT, 'examples', 'web-tests'),
    live: true,
  });
});
