import { FOLDER_COMMANDS } from './commands.ts';
import { testKillsOf } from './kill-anywhere.ts';

testKillsOf(FOLDER_COMMANDS);
