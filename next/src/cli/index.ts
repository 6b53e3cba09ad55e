#!/usr/bin/env node
import { main } from './main.ts';
import { createProcessWorld } from './world.ts';
import { printStartError } from './print.ts';

try {
  const world = createProcessWorld(process.env);
  process.on('uncaughtException', (error) => process.exit(printStartError(error)));
  process.exitCode = await main(world);
} catch (error) {
  process.exitCode = printStartError(error);
}
