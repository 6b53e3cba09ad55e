import { z } from 'zod';
import { parseJson } from '../../json/parse-json.ts';
import type { AttemptDirectory } from '../../agent/attempt-files.ts';
import { attemptKey } from '../../run/records/order.ts';
import type { OpenUse } from '../../run/entity/resolve-use.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { Call } from '../call/call.ts';

/** In the directory of a command or gate that has not ended: what a process that it called waits for. */
const WAIT_FILE = 'waits.json';
const LARGEST = 4_096;

const waitSchema = z.object({
  for: z.string().max(1_000),
  by: z.object({ host: z.string(), boot: z.string(), pid: z.int(), pidStart: z.string() }),
});

/**
 * Notes that this process waits for a command or gate, for those that it waits for to see.
 * @param around the commands and gates that called this process
 * @param blocking `undefined`: it no longer waits
 */
export async function noteWait(
  { ports }: Pick<Call, 'ports'>,
  around: readonly OpenUse[],
  blocking: StartedRecord | undefined,
): Promise<void> {
  for (const { started } of around) {
    const directory = await directoryOf(ports, started);
    if (blocking === undefined) await directory?.remove(WAIT_FILE);
    else await directory?.write(WAIT_FILE, [JSON.stringify({ for: attemptKey(blocking), by: ports.me })]);
  }
}

/**
 * Whether a command or gate itself waits, perhaps for others that wait, until one that called this process has ended.
 * @param open the commands and gates that have not ended
 */
export async function waitsForAround(
  { ports }: Pick<Call, 'ports'>,
  blocking: StartedRecord,
  open: readonly OpenUse[],
  around: readonly OpenUse[],
): Promise<boolean> {
  const ours = new Set(around.map(({ started }) => attemptKey(started)));
  const next = new Set([attemptKey(blocking)]);
  // A set also visits what is added to it meanwhile.
  for (const key of next) {
    if (ours.has(key)) return true;
    const one = open.find(({ started }) => attemptKey(started) === key);
    const waits = one && (await waitOf(ports, one.started));
    if (waits !== undefined) next.add(waits);
  }
  return false;
}

/** What a process that a command or gate called waits for, if it still does. */
async function waitOf(ports: Call['ports'], started: StartedRecord): Promise<string | undefined> {
  const file = await (await directoryOf(ports, started))?.read(WAIT_FILE, LARGEST);
  const parsed = file?.state === 'present' ? parseJson(file.bytes) : undefined;
  const wait = waitSchema.safeParse(parsed?.ok ? parsed.value : undefined);
  return wait.success && !(await ports.isGone(wait.data.by)) ? wait.data.for : undefined;
}

function directoryOf(
  { attempts, commands = attempts }: Call['ports'],
  started: StartedRecord,
): Promise<AttemptDirectory | undefined> {
  return (started.command === true ? commands : attempts).open(started);
}
