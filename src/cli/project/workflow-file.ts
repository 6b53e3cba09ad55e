import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { compileWorkflow, type CompiledWorkflow, type Pin } from '../../compile/compile.ts';
import { CHECKOUT, gatelineAt, keptPin } from '../../compile/pins.ts';
import { isCompiledFrom } from '../../compile/text.ts';
import { GatelineError, isSystemError, messageOf } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { besideState } from '../../local/local-ports.ts';
import { repositoryTop } from '../../local/repository-top.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { readNamed } from '../../workspace/files/read-named.ts';
import { textOption, type OptionValues } from '../command.ts';
import type { CliWorld } from '../world.ts';
import { ownPin } from './own-commit.ts';

/** GitHub refuses larger workflow files. */
const LARGEST = 16 * 1_024 ** 2;

/** The current and the expected content of a workflow file. */
export interface CompiledFile extends CompiledWorkflow {
  /** Absolute. */
  readonly path: string;
  /** Relative to the current folder, for people. */
  readonly name: string;
  /** Set if the workflow uses the action at the commit of this package. */
  readonly ownCommit?: Pin;
  /** The current content, with line feeds; `undefined`: there is no file. */
  readonly existing: string | undefined;
  /** The existing file was not compiled from this definition. */
  readonly isForeign: boolean;
}

/**
 * Compiles the workflow of a pipeline for its place in the repository.
 * @throws GatelineError `OPTION_VALUE`, `DEFINITION_OUTSIDE`, `FILE_UNREADABLE`
 */
export async function workflowFile(
  { workingDirectory, environment, program }: CliWorld,
  options: OptionValues,
  { pipeline, path: definition, root }: Pick<LoadedPipeline, 'pipeline' | 'path' | 'root'>,
): Promise<CompiledFile> {
  const top = await repositoryTop(root, environment);
  const inside = relative(top, definition).replaceAll(sep, '/');
  if (inside.startsWith('../') || isAbsolute(inside)) {
    throw new GatelineError('DEFINITION_OUTSIDE', `${definition} is not in the repository ${top}`);
  }
  const output = textOption(options, 'output');
  const path =
    output === undefined ? join(top, '.github', 'workflows', `${pipeline.id}.yml`) : resolve(workingDirectory, output);
  const existing = await readIfThere(path);
  const isForeign = existing !== undefined && !isCompiledFrom(inside, existing);
  const before = isForeign ? '' : (existing ?? '');
  const own = await ownPin({ program });
  const gateline = givenPin(options) ?? keptPin(own, before);
  const compiled = compileWorkflow(pipeline, {
    definition: inside,
    gateline,
    checkout: keptPin(CHECKOUT, before),
  });
  const isOwn = own.version !== undefined && gateline.uses === own.uses;
  return {
    ...compiled,
    ...(isOwn && { ownCommit: own }),
    path,
    name: relative(workingDirectory, path),
    existing,
    isForeign,
  };
}

function givenPin(options: OptionValues): ReturnType<typeof gatelineAt> {
  const ref = textOption(options, 'action-ref');
  if (ref === undefined) return undefined;
  const pin = gatelineAt(ref);
  if (pin !== undefined) return pin;
  throw new GatelineError('OPTION_VALUE', `--action-ref ${ref}: expected a commit, a tag or a branch`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    // Git may have checked the file out with other line endings.
    return (await readNamed(path, LARGEST)).toString('utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw new GatelineError('FILE_UNREADABLE', `${path} cannot be read: ${messageOf(error)}`, {
      fault: 'platform',
      hint: 'Check what is in its place and who owns it.',
      cause: error,
    });
  }
}

/**
 * Writes a workflow. A reader sees the old text or the new one, never a part.
 * @throws GatelineError `FILE_UNWRITABLE`
 */
export async function writeWorkflow(
  loaded: LoadedPipeline,
  { path, text }: Pick<CompiledFile, 'path' | 'text'>,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await atomicWrite(path, text, await besideState(loaded));
  } catch (error) {
    const cause = error instanceof GatelineError ? error.cause : error;
    throw new GatelineError('FILE_UNWRITABLE', `${path} cannot be written: ${messageOf(cause)}`, { cause });
  }
}
