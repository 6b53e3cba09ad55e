/**
 * The command line that kills its own process right after its k-th durable operation; `DIE_AFTER` is k. What it did so
 * far stands in the file `OPERATIONS`, one line each.
 */
import { appendFileSync } from 'node:fs';
import { main } from '../../src/cli/main.ts';
import { processWorld } from '../../src/cli/process-world.ts';

const dieAfter = Number(process.env['DIE_AFTER']);
const operations = process.env['OPERATIONS']!;
let count = 0;

process.exitCode = await main(
  processWorld(process.env, {
    onDurable: (what) => {
      count += 1;
      appendFileSync(operations, `${what}\n`);
      if (count === dieAfter) process.kill(process.pid, 'SIGKILL');
    },
  }),
);
