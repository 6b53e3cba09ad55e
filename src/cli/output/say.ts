import type { EngineEvent } from '../../engine/ports.ts';
import { oneLine, wrapLines } from '../../report/text.ts';
import type { Screen } from '../world.ts';

/** Writes sentences, broken between words where the terminal is narrow. Not for what programs read, nor for tables. */
export function say(screen: Pick<Screen, 'write' | 'columns'>, text: string): void {
  screen.write(wrapLines(`${text}\n`, screen.columns));
}

/** Tells notices on standard error, with the gate that each is about. */
export function noticesTo({ err }: { readonly err: Pick<Screen, 'write' | 'columns'> }): (event: EngineEvent) => void {
  return (event) => {
    if (event.type !== 'notice') return;
    const about = event.unit === undefined ? '' : `${oneLine(event.unit)}: `;
    say(err, `note: ${about}${oneLine(event.message)}`);
  };
}
