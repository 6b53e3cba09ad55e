import { spawnSync } from 'node:child_process';
import { answer } from './protocol.mjs';

// Where this agent is itself started by a test, that test's context must not reach the tests it runs.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', 'shop/prices.test.mjs'], {
  encoding: 'utf8',
  env,
});
const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
const [tests, pass] = [count('tests'), count('pass')];
answer({ result: tests > 0 && pass === tests ? 'VERIFIED' : 'FAILED', message: `${pass} of ${tests} tests pass` });
