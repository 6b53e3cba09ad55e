import { join, posix } from 'node:path';
import { openCall, type Assignment } from '../../engine/call/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { messageOf } from '../../errors/gateline-error.ts';
import { FORMATS, formatNamed } from '../../formats/formats.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { MIRROR_FORMATS, type MirrorFormat } from '../../pipeline/job-settings.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import { STATE_FOLDER, type Durable } from '../local-ports.ts';
import { exportedRun } from './exported-run.ts';
import { ignoreEarlier, ignoreExported, writeExported } from './write-files.ts';

/** Keeps files of other systems up to date with a run. */
export interface Mirror {
  /** Writes the files that this state changes. Returns notices. Never throws: no gate fails because of a file. */
  show(state: RunState): Promise<string[]>;
}

/** What a mirror needs of a call. */
export interface MirrorInput extends Durable {
  readonly loaded: LoadedPipeline;
  readonly ports: EnginePorts;
  readonly assignment: Assignment;
  readonly environment: Environment;
}

/** The systems whose files are asked for, otherwise those of the definition. @throws GatelineError `FORMAT_UNKNOWN` */
export function mirrorFormats(asked: readonly string[], { mirror = [] }: Pick<Pipeline, 'mirror'>): MirrorFormat[] {
  for (const name of asked) formatNamed(name);
  const wanted: readonly string[] = asked.length > 0 ? asked : mirror;
  return MIRROR_FORMATS.filter((name) => wanted.includes(name));
}

/**
 * Makes sure that no gate hands on files that these systems left earlier, and that a mirror will replace.
 * @returns notices
 */
export async function ignoreMirrored(
  root: string,
  formats: readonly MirrorFormat[],
  environment: Environment,
): Promise<string[]> {
  const notices: string[] = [];
  for (const name of formats) {
    const format = FORMATS[name]!;
    const line = await ignoreEarlier(root, format, environment);
    if (line !== undefined) notices.push(addedLine(line, name));
  }
  return notices;
}

function addedLine(line: string, name: MirrorFormat): string {
  return `${line} was added to .git/info/exclude, so that git ignores the files of ${name}`;
}

/** Keeps the files of these formats up to date, in the folders where their systems keep them. */
export function createMirror(formats: readonly MirrorFormat[], input: MirrorInput): Mirror {
  const { loaded, ports, assignment, environment, onDurable } = input;
  const { root } = loaded;
  const state = join(root, STATE_FOLDER);
  const temporaryFolder = join(state, 'tmp');
  const known = new Map<Digest, JsonValue>();
  const ignored = new Set<string>();
  // Gateline keeps the files of the state guide anyway. One that failed is not tried again in this call.
  const open = new Set(formats.filter((name) => FORMATS[name]!.isKept !== true));
  let shown = '';
  const write = async (name: MirrorFormat, run: Awaited<ReturnType<typeof exportedRun>>): Promise<string[]> => {
    const format = FORMATS[name]!;
    const files = format.write(run);
    // Some files come later in a run: git may track those.
    const unseen = files.filter(({ path }) => !ignored.has(posix.join(format.folder, path)));
    const line =
      unseen.length === 0
        ? undefined
        : await ignoreExported(root, format, unseen, environment, { temporaryFolder, onDurable });
    for (const { path } of unseen) ignored.add(posix.join(format.folder, path));
    const { notices } = await writeExported(
      {
        root,
        folder: format.folder,
        temporaryFolder,
        state,
        onDurable,
      },
      files,
    );
    return line === undefined ? [...notices] : [addedLine(line, name), ...notices];
  };
  const update = async (state: RunState): Promise<string[]> => {
    const call = await openCall(ports, assignment, () => undefined, { runNumber: state.runNumber, shows: true });
    const run = await exportedRun(call, state, loaded, known);
    const notices: string[] = [];
    for (const name of open) {
      try {
        notices.push(...(await write(name, run)));
      } catch (error) {
        open.delete(name);
        notices.push(`the files of ${name} are not kept up to date: ${messageOf(error)}`);
      }
    }
    return notices;
  };
  return {
    async show(state) {
      const now = essenceOf(state);
      // Before its first record a run has no time, which some files are named after.
      if (open.size === 0 || state.startedAt === undefined || now === shown) return [];
      shown = now;
      try {
        return await update(state);
      } catch (error) {
        return [`files of other systems are not up to date: ${messageOf(error)}`];
      }
    },
  };
}

/** What the files show of a state. Most events do not change it. */
function essenceOf({ status, units }: RunState): string {
  const parts = [...units.values()].map(({ key, status: is, attempts, ended, done }) => [
    key,
    is,
    attempts,
    ended?.at,
    done,
  ]);
  return JSON.stringify([status, parts]);
}
