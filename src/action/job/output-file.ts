import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { AgentFile, AttemptDirectory, AttemptFiles } from '../../agent/attempt-files.ts';
import { withFallback } from '../../agent/other-files.ts';
import { readPlainFile } from '../../agent/process/read-plain-file.ts';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { MirrorFormat } from '../../pipeline/job-settings.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { WorkspaceOptions } from '../../workspace/open-workspace.ts';
import type { ActionInputs } from '../inputs/inputs.ts';
import type { Definition } from './definition.ts';
import type { AgentStateFiles } from '../../local/state-files/agent-state-files.ts';
import type { ActionInvocation } from '../invocation.ts';
import { whyNotUsed } from '../event/files-of-others.ts';
import { withoutNamed } from '../../environment.ts';
import { ATTEMPT_FILES } from '../../engine/attempt/agent-environment.ts';

/** The file to which an agent that does not know Gateline writes. */
export interface OutputFile {
  /** Absolute, real path of the workspace; the file must be in it or in `temp`. */
  readonly workspace: string;
  /** The runner's folder for temporary files. */
  readonly temp: string;
  /** As the user names it: relative to the workspace, or absolute. */
  readonly path: string;
}

/** In the attempt's directory: the state of the file before the agent began. */
const STAMP = 'output-file.json';
/** A path and four numbers. */
const STAMP_LIMIT = 64 * 1024;
const stampSchema = z.tuple([z.string(), z.array(z.string()).nullable()]);

/**
 * Attempt directories that take the output from a file of the user's choice if the agent did not write to
 * `GATELINE_OUTPUT`. A file that is unchanged since before the agent began is not its output. If its earlier state is
 * unknown, a file that was last written before the attempt began is not either.
 */
export function withOutputFile(attempts: AttemptFiles, file: OutputFile): AttemptFiles {
  return {
    root: attempts.root,
    pathOf: (id) => attempts.pathOf(id),
    create: async (id) => {
      const place = await placeOf(file);
      const stamp = await stampOf(place);
      const directory = await attempts.create(id);
      await directory.write(STAMP, [JSON.stringify([place, stamp])]);
      return withFallback(directory, ATTEMPT_FILES.output, (limit) => readOutput(directory, file, limit));
    },
    open: async (id) => {
      const directory = await attempts.open(id);
      return directory && withFallback(directory, ATTEMPT_FILES.output, (limit) => readOutput(directory, file, limit));
    },
  };
}

async function readOutput(directory: AttemptDirectory, file: OutputFile, limit: number): Promise<AgentFile> {
  const place = await placeOf(file);
  const stamp = await stampOf(place);
  if (stamp === null) return { state: 'absent' };
  const before = await stampBefore(directory, place);
  if (before === JSON.stringify(stamp)) return { state: 'absent' };
  if (before === undefined && !(await isWrittenSince(directory, place))) {
    return {
      state: 'refused',
      why: `${file.path} was last written before the gate began, so it is not the gate's output`,
    };
  }
  return readPlainFile(place, limit);
}

/**
 * The state of the file before the agent began, as {@link stampOf} returned it; `undefined`: it was not recorded for
 * this file.
 */
async function stampBefore(directory: AttemptDirectory, place: string): Promise<string | undefined> {
  const read = await directory.read(STAMP, STAMP_LIMIT);
  if (read.state !== 'present') return undefined;
  const known = stampSchema.safeParse(asJson(new TextDecoder().decode(read.bytes)));
  return known.success && known.data[0] === place ? JSON.stringify(known.data[1]) : undefined;
}

/** An agent may overwrite the stamp: text that is not JSON is not a stamp. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Uses the change time, which no copy preserves: a file that was moved here since is accepted, whatever its
 * modification time.
 */
async function isWrittenSince(directory: AttemptDirectory, place: string): Promise<boolean> {
  try {
    const [begun, now] = await Promise.all([
      lstat(directory.pathOf(ATTEMPT_FILES.request), { bigint: true }),
      lstat(place, { bigint: true }),
    ]);
    return now.ctimeNs > begun.mtimeNs;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw unreadable(place, error);
  }
}

/** Identity and times of a file; `null`: it does not exist. */
async function stampOf(path: string): Promise<readonly string[] | null> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].map(String);
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return null;
    throw unreadable(path, error);
  }
}

/**
 * The file's path, with its folder's links resolved.
 * @throws GatelineError `OUTPUT_FILE_OUTSIDE`
 */
async function placeOf(file: OutputFile): Promise<string> {
  const place = await placeInside(file);
  if (place !== undefined) return place;
  throw new GatelineError('OUTPUT_FILE_OUTSIDE', `output-file: ${file.path} is outside the workspace and RUNNER_TEMP`);
}

/** The file's path, with its folder's links resolved; `undefined`: it is outside of both. */
export async function placeInside({ workspace, temp, path }: OutputFile): Promise<string | undefined> {
  const asked = isAbsolute(path) ? path : join(workspace, path);
  const folder = await realFolder(join(asked, '..'));
  const place = folder === undefined ? asked : join(folder, asked.slice(asked.lastIndexOf(sep) + 1));
  const roots = [workspace, (await realFolder(temp)) ?? temp];
  return roots.some((root) => isInside(root, place)) ? place : undefined;
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return undefined;
    throw unreadable(path, error);
  }
}

function isInside(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function unreadable(path: string, cause: unknown): GatelineError {
  return new GatelineError('OUTPUT_FILE_UNREADABLE', `${path} cannot be looked at: ${messageOf(cause)}`, {
    cause,
  });
}

/** Which files of the workspace are made for other systems. */
export async function generatedFiles(
  { mirror: asked }: Pick<ActionInputs, 'mirror'>,
  { pipeline }: Pick<Definition, 'pipeline'>,
): Promise<Pick<WorkspaceOptions, 'generated'>> {
  const mirror = asked ?? pipeline?.mirror ?? [];
  if (mirror.length === 0) return {};
  const { isWrittenBy } = await import('../../formats/formats.ts');
  return { generated: (path) => isWrittenBy(mirror, path) };
}

/**
 * The files of other systems of a job; none: neither the step nor the definition asks for any. An output that the step
 * itself names is not looked for in them.
 */
export async function mirroredFiles(
  invocation: ActionInvocation,
  { pipeline, root, isDefault = true, file }: Definition,
  { store, environment: all, now, workspace }: Pick<EnginePorts, 'store' | 'environment' | 'now' | 'workspace'>,
): Promise<{ readonly mirror: readonly MirrorFormat[]; readonly stateFiles?: AgentStateFiles }> {
  const { mirror: asked, output, outputFile } = invocation.inputs;
  const mirror = asked ?? pipeline?.mirror ?? [];
  if (mirror.length === 0 || pipeline === undefined) return { mirror: [] };
  // Most jobs need none of it.
  const { agentStateFiles } = await import('../../local/state-files/agent-state-files.ts');
  const place = { root, isDefault, pipeline, ...(file !== undefined && { path: join(root, file) }) };
  const whyNot = whyNotUsed(invocation, root, { environment: all, workspace }, pipeline);
  const reads = async (path: string): Promise<boolean> => {
    if (output !== undefined || outputFile !== undefined) return false;
    const why = await whyNot(path);
    if (why !== undefined) invocation.world.runner.annotate('warning', `${path} is not read as an output: ${why}`);
    return why === undefined;
  };
  const guide = mirror.includes('state-guide') ? agentStateFiles(place, store, reads) : undefined;
  const others = mirror.filter((name) => name !== 'state-guide');
  if (others.length === 0) return { mirror, ...(guide && { stateFiles: guide }) };
  const environment = withoutNamed(
    all,
    pipeline.gates.flatMap((gate) => gate.secrets),
  );
  const { withAgentFiles } = await import('../../local/exchange/agent-files.ts');
  return { mirror, stateFiles: withAgentFiles(guide, others, { place, store, environment, now, required: true }) };
}
