import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StepFailed } from './steps.mjs';

/** Files of a package that contain its terms: Apache-2.0 requires that a NOTICE is passed on with the licence. */
const TERMS = /^(?:un)?(?:licen[cs]e|copying|notice)\b/i;
/** Copyright lines, in which texts of the same licence differ. */
const NOTICES = /^copyright (?:\(c\)|©|\d).*$/gim;
/** Packages that state no licence anywhere. `buffers` is included by @actions/artifact, through unzip-stream. */
const UNSTATED = new Set(['buffers']);
const RULE = '-'.repeat(80);

/**
 * The folders of the packages from which a build bundled modules, in any chunk, sorted.
 * @param {{ modules: Iterable<object> }} compilation `stats.compilation` from ncc
 * @returns {string[]}
 */
export function bundledPackages({ modules }) {
  /** @type {Set<string>} */
  const folders = new Set();
  for (const path of resourcesOf(modules)) {
    const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/** The files behind modules, including those inside a concatenated one. */
function* resourcesOf(modules) {
  for (const { modules: parts, resource } of modules) {
    if (parts !== undefined) yield* resourcesOf(parts);
    else if (typeof resource === 'string') yield resource;
  }
}

/**
 * The text of `licenses.txt`: every package with its version, licence and copyright notices, and each licence text
 * once, below all packages that it applies to.
 * @param {Iterable<string>} folders of the packages
 * @returns {string}
 * @throws {StepFailed} for a package that states no licence
 */
export function licenseText(folders) {
  const groups = new Map();
  for (const { title, notices, terms } of [...folders].map(readPackage).sort(byTitle)) {
    const key = terms.replaceAll(/\s+/g, ' ');
    const group = groups.get(key) ?? { packages: new Set(), terms };
    group.packages.add([title, ...notices.map((notice) => `  ${notice}`)].join('\n'));
    groups.set(key, group);
  }
  const parts = [...groups.values()].map(({ packages, terms }) => `${RULE}\n${[...packages].join('\n')}\n\n${terms}\n`);
  return `Gateline bundles code of these packages. The terms of each stand below its name.\n\n${parts.join('\n')}`;
}

function byTitle({ title: one }, { title: other }) {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A package's name in the list, and its terms. */
function readPackage(folder) {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile() && TERMS.test(file.name));
  const names = files.map((file) => file.name).sort();
  const texts = names.map((name) => trimmed(readFileSync(join(folder, name), 'utf8')));
  const title = `${about.name} ${about.version} (${about.license ?? 'see below'})`;
  const terms = texts.length > 0 ? texts.join('\n\n') : termsWithoutText(about);
  return { title, notices: terms.match(NOTICES) ?? [], terms: trimmed(terms.replaceAll(NOTICES, '')) };
}

/** The terms of a package without a licence text. */
function termsWithoutText({ name, license, author, repository }) {
  if (license === undefined && !UNSTATED.has(name)) throw new StepFailed(`Package ${name} states no licence.`);
  const about = [typeof author === 'object' ? author.name : author, repository?.url ?? repository];
  const origin = about.filter((part) => part !== undefined).join(', ');
  const stated =
    license === undefined ? 'The package states no licence' : `The package states ${license}, without a text`;
  return `${stated}. Its origin: ${origin}`;
}

/** A text for comparison: trailing spaces do not make it another licence. */
function trimmed(text) {
  return text
    .replaceAll('\r', '')
    .replaceAll(/[^\S\n]+$/gm, '')
    .trim();
}
