import { z } from 'zod';
import type { AttemptDirectory } from '../agent/attempt-files.ts';
import type { Tree } from '../run/tree.ts';
import type { Baseline } from '../workspace/workspace.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';

const treeSchema = z.array(z.tuple([z.string(), z.string(), z.string()]));
const stampsSchema = z.array(z.tuple([z.string(), z.string()]));
const baselineSchema = z.strictObject({ tree: treeSchema, named: treeSchema, stamps: stampsSchema });

/** No more than this many bytes are read back. */
const LIMIT = 256 * 1024 * 1024;

/** Keeps a baseline with its attempt, for a `complete` in another process and for a next attempt after a kill. */
export async function writeBaseline(directory: AttemptDirectory, baseline: Baseline): Promise<void> {
  await directory.write(ATTEMPT_FILES.baseline, [
    JSON.stringify({ tree: rowsOf(baseline.tree), named: rowsOf(baseline.named), stamps: [...baseline.stamps] }),
  ]);
}

/** Reads it back; `undefined` when it is not there or was not written to the end. */
export async function readBaseline(directory: AttemptDirectory): Promise<Baseline | undefined> {
  const read = await directory.read(ATTEMPT_FILES.baseline, LIMIT);
  if (read.state !== 'present') return undefined;
  try {
    const parsed = baselineSchema.parse(JSON.parse(new TextDecoder().decode(read.bytes)));
    return { tree: treeOf(parsed.tree), named: treeOf(parsed.named), stamps: new Map(parsed.stamps) };
  } catch {
    // Torn by a crash, or written over by an agent: as good as absent, the present state is the baseline then.
    return undefined;
  }
}

function rowsOf(tree: Tree): [string, string, string][] {
  return [...tree].map(([path, file]) => [path, file.mode, file.blob]);
}

function treeOf(rows: [string, string, string][]): Tree {
  return new Map(rows.map(([path, mode, blob]) => [path, { mode, blob }]));
}
