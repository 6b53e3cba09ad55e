#!/usr/bin/env node
import { main } from './main.ts';
import { nodeTooOld } from './node-version.ts';
import { onUncaught, processWorld } from './process-world.ts';
import { reportError } from './output/report-error.ts';
import { EXIT_CODES } from './exit-codes.ts';

const tooOld = nodeTooOld(process.versions.node);
if (tooOld === undefined) {
  const world = processWorld(process.env);
  onUncaught((error) => reportError(world, error));
  process.exitCode = await main(world);
} else {
  process.stderr.write(tooOld);
  process.exitCode = EXIT_CODES.usage;
}
