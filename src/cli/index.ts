#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep the compiled form of what is imported from now on: a tenth of a short command's time.
module.enableCompileCache?.();
const { main } = await import('./main.ts');
const { printStartError } = await import('./print.ts');
const { createProcessWorld } = await import('./world.ts');

try {
  const world = createProcessWorld(process.env);
  process.on('uncaughtException', (error) => process.exit(printStartError(error)));
  process.exitCode = await main(world);
} catch (error) {
  process.exitCode = printStartError(error);
}
