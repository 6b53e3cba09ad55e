import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../repository/repository-files.ts';

/** What each name of a package that pages import stands for: a file of this repository. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gateline: { './langgraph': 'src/langgraph/index.ts' },
  '@langchain/langgraph': { '.': 'node_modules/@langchain/langgraph/dist/index.js' },
};

/**
 * The packages that a page's `npm install` names, as files: each entry leads to this repository. What only others need
 * is found there.
 */
export function packagesOf(command: string): Readonly<Record<string, string>> {
  const names = Object.keys(ENTRIES).filter((name) => command.split(/\s+/).includes(name));
  const files = names.flatMap((name) => {
    const entries = Object.entries(ENTRIES[name]!).map(([entry, file], at) => ({ entry, file, own: `entry-${at}.js` }));
    const exported = Object.fromEntries(entries.map(({ entry, own }) => [entry, `./${own}`]));
    return [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, type: 'module', exports: exported })] as const,
      ...entries.map(
        ({ file, own }) =>
          [`node_modules/${name}/${own}`, `export * from '${pathToFileURL(join(ROOT, file)).href}';\n`] as const,
      ),
    ];
  });
  return Object.fromEntries(files);
}
