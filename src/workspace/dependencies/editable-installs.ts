import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatelineError } from '../../errors/gateline-error.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import { pathBelow, type EditableInstall, type Mirrored } from './link-plan.ts';

/** Further ones are counted, not named. */
const MOST_NAMED = 5;

/**
 * Packages that Python imports from the user's repository instead of from `site-packages`: `direct_url.json` of an
 * editable install (PEP 610), and lines of `*.pth` files. Paths inside the environment itself are allowed.
 *
 * @param site the folder of packages
 * @param from top of the repository
 */
export async function findEditableInstalls(
  site: Mirrored,
  environment: Mirrored,
  from: string,
): Promise<EditableInstall[]> {
  const names = await readdir(site.source);
  const own = await realpath(environment.source);
  const leadsIn = (path: string): boolean => pathBelow(from, path) !== undefined && pathBelow(own, path) === undefined;
  const declared = await Promise.all(
    names.filter((name) => name.endsWith('.dist-info')).map((name) => declaredInstall(site, name, leadsIn)),
  );
  const found = declared.filter((install) => install !== undefined);
  for (const name of names.filter((one) => one.endsWith('.pth'))) {
    for (const line of await linesThatLead(site, name, from, leadsIn)) {
      // The line shows where the package is imported from: it replaces pip's entry for the same package.
      const at = found.findIndex(
        (install) => install.line === undefined && pathBelow(install.leadsTo, line.leadsTo) !== undefined,
      );
      if (at >= 0) found[at] = { ...line, name: found[at]!.name };
      else found.push(line);
    }
  }
  return found;
}

async function declaredInstall(
  site: Mirrored,
  folder: string,
  leadsIn: (path: string) => boolean,
): Promise<EditableInstall | undefined> {
  const text = await readFile(join(site.source, folder, 'direct_url.json'), 'utf8').catch(() => undefined);
  const path = text === undefined ? undefined : editablePath(text);
  if (path === undefined) return undefined;
  const leadsTo = await realpath(path).catch(() => path);
  const name = folder.replace(/-[^-]*\.dist-info$/, '');
  const file = `${site.path}/${folder}/direct_url.json`;
  return leadsIn(leadsTo) ? { name, file, line: undefined, leadsTo } : undefined;
}

/** The folder of an editable install, according to `direct_url.json`. */
function editablePath(text: string): string | undefined {
  try {
    const install = JSON.parse(text) as JsonValue;
    if (!isJsonObject(install)) return undefined;
    const { url, dir_info: folder } = install;
    const isEditable = isJsonObject(folder) && folder['editable'] === true;
    return isEditable && typeof url === 'string' ? fileURLToPath(url) : undefined;
  } catch {
    // Not JSON, or not a file URL: nothing to report.
    return undefined;
  }
}

/** Lines of a `.pth` file: each is a path, or code that begins with `import`, which may contain one. */
async function linesThatLead(
  site: Mirrored,
  file: string,
  from: string,
  leadsIn: (path: string) => boolean,
): Promise<EditableInstall[]> {
  const text = await readFile(join(site.source, file), 'utf8').catch(() => '');
  const found: EditableInstall[] = [];
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const leadsTo = /^import[ \t]/.test(line) ? pathInCode(line, from) : await pathOnLine(line, site.source);
    if (leadsTo === undefined || !leadsIn(leadsTo)) continue;
    found.push({ name: packageOf(file, leadsTo), file: `${site.path}/${file}`, line: index + 1, leadsTo });
  }
  return found;
}

async function pathOnLine(line: string, site: string): Promise<string | undefined> {
  if (line.trim() === '' || line.startsWith('#')) return undefined;
  const path = resolve(site, line.trimEnd());
  return realpath(path).catch(() => path);
}

function pathInCode(line: string, from: string): string | undefined {
  const at = line.indexOf(from);
  return at < 0 ? undefined : /^[^'"]*/.exec(line.slice(at))![0];
}

/**
 * pip writes `__editable__.NAME-1.0.pth`, hatch and uv write `_NAME.pth`, setuptools writes `easy-install.pth` for
 * several packages.
 */
function packageOf(file: string, leadsTo: string): string {
  const written = /^__editable__\.(.+?)(?:-\d[^-]*)?\.pth$/.exec(file)?.[1] ?? /^_+(.+)\.pth$/.exec(file)?.[1];
  return written ?? (file === 'easy-install.pth' ? basename(leadsTo) : file.replace(/\.pth$/, ''));
}

/** @throws GatelineError `DEPENDENCIES_EDITABLE` that lists them, if there are any */
export function refuseEditableInstalls(installs: readonly EditableInstall[]): void {
  if (installs.length === 0) return;
  const named = installs.slice(0, MOST_NAMED).map(({ name, file, line, leadsTo }) => {
    const place = line === undefined ? file : `${file}, line ${line}`;
    return `${name} (${place}: ${leadsTo})`;
  });
  const more = installs.length > MOST_NAMED ? ` and ${installs.length - MOST_NAMED} more` : '';
  throw new GatelineError(
    'DEPENDENCIES_EDITABLE',
    `A Python environment imports from your folder, so an agent in a work tree would test your files instead of its own: ${named.join('; ')}${more}.`,
  );
}
