import { wrapLines } from '../report/text.ts';
import type { Screen } from './world.ts';

/** Writes sentences, broken between words where the terminal is narrow. Not for what programs read, nor for tables. */
export function say(screen: Pick<Screen, 'write' | 'columns'>, text: string): void {
  screen.write(wrapLines(`${text}\n`, screen.columns));
}
