import { restoreCache, saveCache } from '@actions/cache';

/** What actions/cache/restore and actions/cache/save do: the argument is `restore` or `save`. */

const { INPUT_PATH = '', INPUT_KEY = '', 'INPUT_RESTORE-KEYS': restoreKeys = '' } = process.env;
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
if (process.argv[2] === 'save') await saveCache(linesOf(INPUT_PATH), INPUT_KEY);
else await restoreCache(linesOf(INPUT_PATH), INPUT_KEY, linesOf(restoreKeys));
