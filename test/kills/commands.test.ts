import { OTHERS } from './commands.ts';
import { testKillsOf } from './kill-anywhere.ts';

testKillsOf(OTHERS);
