import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../errors/gateline-error.ts';

const FORMAT = 'gateline-slot/1';
const NEXT = 'next';

const stateSchema = z.object({
  format: z.literal(FORMAT),
  /**
   * `idle`: free. `busy`: an attempt works there. `retired`: never used again, and deleted when no process is running
   * there.
   */
  state: z.enum(['idle', 'busy', 'retired']),
  /** Name of the attempt that works there. */
  attempt: z.string().max(2_048).optional(),
  /** Reserved until then for an agent that runs by itself, ISO 8601: no engine watches it. */
  until: z.string().max(64).optional(),
  /** Pids of processes that stay there, although the attempt has ended. */
  left: z.array(z.int()).optional(),
  /** Paths below which there are links to dependencies, from the top. */
  links: z.array(z.string()).optional(),
  /** Paths that the setup command created, from the top. */
  kept: z.array(z.string()).optional(),
  /** Conversion with which its files were written: see `conversionOf`. */
  conversion: z.string().max(128).optional(),
});

/** The state that is stored next to a slot's tree. */
export type SlotState = Omit<z.infer<typeof stateSchema>, 'format'>;

/** The data about a slot that is kept between attempts. */
export interface SlotMemory {
  readonly kept?: string[];
  readonly conversion?: string;
}

interface Remembered {
  readonly kept?: readonly string[] | undefined;
  readonly conversion?: string | undefined;
}

/** Extracts the {@link SlotMemory} from a larger object. */
export function memoryOf({ kept, conversion }: Remembered): SlotMemory {
  return { ...(kept !== undefined && { kept: [...kept] }), ...(conversion !== undefined && { conversion }) };
}

/** An agent may have put anything in the place of the file. */
const NO_FILE = ['ENOENT', 'EISDIR', 'ENOTDIR', 'ELOOP'];

/** Reads a slot's state. If it is absent, damaged or not a file, the state is `retired`: the content is unknown. */
export async function readSlotState(slot: string): Promise<SlotState> {
  let text;
  try {
    text = await readFile(fileOf(slot), 'utf8');
  } catch (error) {
    if (NO_FILE.some((code) => isSystemError(error, code))) return { state: 'retired' };
    throw error;
  }
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    return { state: 'retired' };
  }
}

/** Writes a slot's state, atomically. */
export async function writeSlotState(slot: string, state: SlotState): Promise<void> {
  await replaceFile(fileOf(slot), `${JSON.stringify({ format: FORMAT, ...state })}\n`);
}

/** The number of the next new slot; 0 if there was none yet. @param root folder of the slots */
export async function readNextNumber(root: string): Promise<number> {
  try {
    const text = await readFile(join(root, NEXT), 'utf8');
    return /^\d{1,9}\n$/.test(text) ? Number(text) : 0;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return 0;
    throw error;
  }
}

/** Stores the number of the next new slot, atomically. */
export async function writeNextNumber(root: string, next: number): Promise<void> {
  await replaceFile(join(root, NEXT), `${next}\n`);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.tmp`;
  // A link in its place would redirect the write.
  await rm(temporary, { recursive: true, force: true });
  await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
  await rename(temporary, file).catch(async (error: unknown) => {
    if (!isSystemError(error, 'EISDIR')) throw error;
    await rm(file, { recursive: true, force: true });
    await rename(temporary, file);
  });
}

function fileOf(slot: string): string {
  return join(slot, 'slot.json');
}
