import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { compilePipeline } from '../../compile/compile.ts';
import { isCompiled, isCompiledFrom } from '../../compile/workflow-text.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError, isSystemError, messageOf } from '../../errors.ts';
import { createGit, type Git } from '../../workspace/git.ts';
import type { Definition } from './load-definition.ts';

/** The workflow file of a pipeline. */
export interface CompiledWorkflow {
  /** Absolute. */
  readonly path: string;
  /** `stale`: it was only compared, and differs. */
  readonly status: 'current' | 'written' | 'stale';
  /** A unified diff if `stale`, else empty. */
  readonly diff: string;
}

/**
 * Writes the workflow of a definition, or only compares it.
 * @param output relative to the folder of the definition. Default: `.github/workflows/<pipeline>.yml` of the repository
 * @throws GatelineError `usage` if the file was not written by `compile`, or from another definition
 */
export async function compileWorkflow(
  { root, file, pipeline }: Definition,
  environment: Environment,
  output: string | undefined,
  isCheck: boolean,
): Promise<CompiledWorkflow> {
  const git = createGit(environment);
  const names = await git(['rev-parse', '--show-prefix', '--show-cdup'], { cwd: root }).catch(() => '\n');
  const [prefix = '', top = ''] = names.toString().split('\n');
  const path = resolve(root, output ?? join(top, '.github/workflows', `${pipeline.id}.yml`));
  const existing = await readText(path);
  if (existing !== undefined && !isCompiled(existing))
    throw new GatelineError('usage', `${path} was not written by \`gateline compile\``, {
      hint: '`--output` names another file.',
    });
  if (existing !== undefined && !isCompiledFrom(existing, prefix + file))
    throw new GatelineError('usage', `${path} is the workflow of another definition`, {
      hint: 'Give this one another `pipeline:`, or name another file by `--output`. Remove that workflow if its definition was moved.',
    });
  const text = compilePipeline(pipeline, prefix + file, existing);
  if (text === existing) return { path, status: 'current', diff: '' };
  if (isCheck) return { path, status: 'stale', diff: await diffText(git, root, path, existing, text) };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return { path, status: 'written', diff: '' };
}

/** Reads a file with line feeds, because git may have checked it out with CRLF. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).replaceAll('\r\n', '\n');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw new GatelineError('platform', `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function diffText(
  git: Git,
  cwd: string,
  path: string,
  existing: string | undefined,
  text: string,
): Promise<string> {
  const before = existing === undefined ? '/dev/null' : path;
  const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--no-textconv', '--', before, '-'];
  const diff = (await git(args, { cwd, input: text, codes: [0, 1] })).toString();
  return `--- ${before}\n+++ gateline compile\n${diff.slice(diff.search(/^@@/m))}`;
}
