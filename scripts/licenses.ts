import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a package with its terms. Apache-2.0 requires the NOTICE too. */
const TERMS = /^(?:un)?(?:licen[cs]e|copying|notice)\b/i;
/** Copyright lines, the differences between texts of one licence. */
const NOTICES = /^copyright (?:\(c\)|©|\d).*$/gim;
/** Packages that state no licence anywhere. `buffers` comes with @actions/artifact, through unzip-stream. */
const UNSTATED = ['buffers'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
}

/**
 * The text of `licenses.txt`: every package with its version, licence and copyright notices, and each text of a licence
 * once, below all packages that it applies to.
 * @param folders of the packages, sorted
 * @throws for a package that states no licence
 */
export function licenseText(folders: readonly string[]): string {
  const groups = new Map<string, { readonly packages: string[]; readonly terms: string }>();
  for (const folder of folders) {
    const { title, notices, terms } = readPackage(folder);
    const key = terms.replaceAll(/\s+/g, ' ');
    const group = groups.get(key) ?? { packages: [], terms };
    group.packages.push([title, ...notices.map((notice) => `  ${notice}`)].join('\n'));
    groups.set(key, group);
  }
  const rule = '-'.repeat(80);
  const parts = [...groups.values()].map(({ packages, terms }) => `${rule}\n${packages.join('\n')}\n\n${terms}\n`);
  return `Gateline bundles code of these packages. The terms of each stand below its name.\n\n${parts.join('\n')}`;
}

function readPackage(folder: string): { title: string; notices: readonly string[]; terms: string } {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const names = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && TERMS.test(entry.name),
  );
  const texts = names.map(({ name }) => trimLines(readFileSync(join(folder, name), 'utf8'))).toSorted();
  const terms = texts.length > 0 ? texts.join('\n\n') : termsWithoutText(manifest);
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
  return { title, notices: terms.match(NOTICES) ?? [], terms: trimLines(terms.replaceAll(NOTICES, '')) };
}

function termsWithoutText({ name, license, author, repository }: Manifest): string {
  if (license === undefined && !UNSTATED.includes(name)) throw new Error(`the package ${name} states no licence`);
  const stated = license === undefined ? 'no licence' : `${license}, without a text`;
  const origin = [
    typeof author === 'object' ? author.name : author,
    typeof repository === 'object' ? repository.url : repository,
  ];
  return `The package states ${stated}. Its origin: ${origin.filter((part) => part !== undefined).join(', ')}`;
}

/** Removes differences that do not matter: white space at the ends of lines. */
function trimLines(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/[^\S\n]+$/gm, '')
    .trim();
}
