import { DECISIONS } from './commands.ts';
import { testKillsOf } from './kill-anywhere.ts';

testKillsOf(DECISIONS);
