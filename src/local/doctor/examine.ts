import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { EnginePorts } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { treesFolder, treesOf } from '../../workspace/slots/trees-folder.ts';
import { foldersWithRuns } from '../every-record.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import { historyIn, STATE_FOLDER } from '../local-ports.ts';
import { checkLock, checkObjects, checkProcesses, checkPuts, checkQuarantine, checkTrees } from './check-around.ts';
import { checkFolder } from './check-records.ts';
import { checkHistory, checkStateFiles } from './check-runs.ts';
import type { Finding, Severity } from './finding.ts';
import type { Looking, LookProgress } from './looking.ts';

/** The input for {@link examine}. */
export interface Examination {
  readonly loaded: LoadedPipeline;
  /** Opened for reading only. */
  readonly ports: EnginePorts;
  readonly environment: Environment;
  /** This process has the lock of the workspace. Default false. */
  readonly isLocked?: boolean;
  readonly progress?: LookProgress;
}

const ORDER: readonly Severity[] = ['error', 'warning', 'note'];

/**
 * Everything that is wrong with the state of a workspace, the worst first: records and contents of all its pipelines,
 * and what is made from them for this one. Writes nothing. While another command works, what it is about to write is
 * left out.
 * @throws GatelineError `STORE_READ_FAILED` if a folder cannot be read
 */
export async function examine(examination: Examination): Promise<Finding[]> {
  const looking = await lookingAt(examination);
  const { findings, isHeld } = looking.isLocked ? { findings: [], isHeld: false } : await checkLock(looking);
  const found = [...findings];
  const roots = await foldersWithRuns(looking.state);
  for (const root of roots) found.push(...(await checkFolder(root, looking)));
  for (const root of new Set([looking.state, ...roots])) found.push(...(await checkQuarantine(root, looking)));
  if (!isHeld) {
    found.push(...(await checkStateFiles(looking)), ...(await checkHistory(looking)));
    found.push(...(await checkPuts(looking)), ...(await checkTrees(looking)));
    found.push(...(await checkObjects(looking)));
    found.push(...(await checkProcesses(looking)));
  }
  const rank = ({ severity }: Finding): number => ORDER.indexOf(severity);
  const place = ({ path, code, message }: Finding): string => [path, code, message].join('\n');
  return found.toSorted((a, b) => rank(a) - rank(b) || (place(a) < place(b) ? -1 : 1));
}

async function lookingAt({
  loaded,
  ports,
  environment,
  isLocked = false,
  progress = () => undefined,
}: Examination): Promise<Looking> {
  const workspace = loaded.root;
  const place = await realpath(workspace);
  const setting = loaded.pipeline.workspace.trees;
  // That it is outside of the repository was checked when the workspace was opened.
  const trees = treesOf(await treesFolder({ setting, environment, workspace: place, repository: place }), place);
  return {
    loaded,
    ports,
    history: historyIn(loaded),
    workspace,
    state: join(workspace, STATE_FOLDER),
    environment,
    trees,
    isLocked,
    progress,
    show: (path) => {
      const inside = relative(workspace, path);
      return isAbsolute(inside) || inside.split(sep)[0] === '..' ? path : inside.split(sep).join('/');
    },
  };
}
