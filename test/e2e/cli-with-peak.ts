/** The command line that writes, when it ends, the most memory that its process held, in bytes, to the file `PEAK`. */
import { writeFileSync } from 'node:fs';
import { main } from '../../src/cli/main.ts';
import { processWorld } from '../../src/cli/process-world.ts';

process.exitCode = await main(processWorld(process.env));
writeFileSync(process.env['PEAK']!, String(process.resourceUsage().maxRSS * 1_024));
