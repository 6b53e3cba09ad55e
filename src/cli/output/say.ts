import type { EngineEvent } from '../../engine/ports.ts';
import { oneLine, wrapLines } from '../../report/text.ts';
import type { Screen } from '../world.ts';

/** Writes sentences, wrapped between words if the terminal is narrow. Not for machine-readable output or tables. */
export function say(screen: Pick<Screen, 'write' | 'columns'>, text: string): void {
  screen.write(wrapLines(`${text}\n`, screen.columns));
}

/** Writes notices to standard error, with the gate that each concerns. */
export function noticesTo({ err }: { readonly err: Pick<Screen, 'write' | 'columns'> }): (event: EngineEvent) => void {
  return (event) => {
    if (event.type !== 'notice') return;
    const about = event.unit === undefined ? '' : `${oneLine(event.unit)}: `;
    say(err, `note: ${about}${oneLine(event.message)}`);
  };
}
