import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatelineError, isSystemError, messageOf } from '../../errors.ts';

/** The templates of `gateline init`: folders of plain files. */
export const TEMPLATES = [
  'default',
  'claude-code',
  'codex',
  'state-guide',
  'agent-flow',
  'dev-loop',
  'deep-dive',
  'safety',
] as const;

/** The nearest `templates/` above this module, which is at different depths in sources, build and bundle. */
function folderOf(template: string): string {
  let base = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(base, 'templates', template)) && dirname(base) !== base) base = dirname(base);
  return join(base, 'templates', template);
}

/** Copies a template into a folder. @returns `files` that were written, and existing ones that were `left` */
export async function initProject(
  folder: string,
  template: string,
  isDry: boolean,
): Promise<{ readonly files: string[]; readonly left: string[] }> {
  const source = folderOf(template);
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)));
  const files: string[] = [];
  const left: string[] = [];
  for (const path of paths.toSorted()) {
    const name = path.split(sep).join('/');
    const isNew = await copyNew(join(source, path), join(folder, path), isDry);
    (isNew ? files : left).push(name);
  }
  return { files, left };
}

async function copyNew(from: string, to: string, isDry: boolean): Promise<boolean> {
  if (isDry) return !existsSync(to);
  try {
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST') && existsSync(to)) return false;
    throw new GatelineError('platform', `cannot write ${to}: ${messageOf(error)}`, {
      hint: 'Make the folder writable, or begin in another one.',
      cause: error,
    });
  }
}
