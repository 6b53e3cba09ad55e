#!/usr/bin/env node
import { main } from './main.ts';
import { onUncaught, processWorld } from './process-world.ts';
import { reportError } from './report-error.ts';

const world = processWorld(process.env);
onUncaught((error) => reportError(world, error));
process.exitCode = await main(world);
