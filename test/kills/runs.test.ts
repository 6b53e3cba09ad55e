import { RUNS } from './commands.ts';
import { testKillsOf } from './kill-anywhere.ts';

testKillsOf(RUNS);
