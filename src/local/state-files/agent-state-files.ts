import { lstat, realpath, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { readPlainFile } from '../../agent/process/read-plain-file.ts';
import type { AboutStateFiles, LeftStateFile, StateFiles } from '../../engine/call/guide-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { unlessAbsent } from '../../errors/store-errors.ts';
import { gateOutputFileName } from '../../formats/state-guide/file-names.ts';
import { gateWord } from '../../formats/state-guide/guide-words.ts';
import { leftEnvelope } from '../../formats/state-guide/left-envelope.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { ancestorsOf, graphOf, unitsOf, type UnitGraph } from '../../run/records/unit.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { createProjections, type Projections } from '../../store/filesystem/projections/projections.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';
import { documentsFor, stateForAgents } from '../projector.ts';

/** The largest state file of an agent, in bytes: as an output. */
const LIMIT = 256 * 1024 * 1024;

/** The state files next to agents, and those of gates that ended. */
export interface AgentStateFiles extends StateFiles {
  /**
   * Writes the unit's own state file, as the state has it. That of the pipeline stays as it was before the agent. Files
   * of other systems are written again.
   */
  show(folder: string, about: AboutStateFiles): Promise<ShownStateFiles>;
}

/** What is known after the state files of a gate that ended were written: one sentence each. */
export interface ShownStateFiles {
  /** What people should know. */
  readonly notices: readonly string[];
  /** The unit's own file, with status and score; none: it has no result, or the guide's files are not asked for. */
  readonly created: readonly string[];
}

/**
 * The state guide's files in the folders that agents work in.
 * @param place whose state folder theirs is named after
 * @param reads whether a state file that an agent left is its output. Default true
 */
export function agentStateFiles(place: StatePlace, store: Pick<RecordStore, 'get'>, reads = true): AgentStateFiles {
  const rootIn = (folder: string): string => stateRoot({ ...place, root: folder });
  const projectionsIn = (folder: string, about: AboutStateFiles): Promise<Projections> =>
    createProjections({
      root: rootIn(folder),
      workspace: folder,
      documents: documentsFor({ ...about, graph: unitsOf(about.pipeline), groups: about.pipeline.groups }),
      readContent: (digest) => store.get(digest),
      isCopy: true,
    });
  const ownIn = (folder: string, about: AboutStateFiles): string => join(rootIn(folder), ownName(about));
  const pathIn = (folder: string, about: AboutStateFiles): string =>
    relative(folder, ownIn(folder, about)).split(sep).join('/');
  return {
    prepare: async (folder, about, kept) => {
      const { unit, isUsersFolder, pipeline } = about;
      const state = shownState(about);
      if (!isUsersFolder) await refuseLinks(folder, rootIn(folder));
      const projections = await projectionsIn(folder, about);
      const graph = graphOf(unitsOf(pipeline), state.units.values());
      const above = isUsersFolder ? [] : ancestorsOf(graph, unit.key);
      const shown = isUsersFolder ? [] : await projections.update(state, above);
      for (const key of [...above, unit.key]) {
        const hasResult = key !== unit.key && gateWord(state.units.get(key)?.status ?? 'pending') !== undefined;
        const { gate, leg } = graph.get(key)!;
        if (hasResult || kept.has(key)) continue;
        shown.push(...(await projections.clear(state, gateOutputFileName(state.subject, gate.number, leg.id))));
      }
      const loaded = isUsersFolder
        ? []
        : unit.needs.flatMap((key) => loadedLine(rootIn(folder), folder, graph, state, key));
      return { notices: shown.map(({ message }) => message), loaded };
    },
    show: async (folder, about) => {
      const notices = await (await projectionsIn(folder, about)).showUnit(shownState(about), about.unit.key);
      const own = about.state.units.get(about.unit.key);
      const line = own && createdLine(pathIn(folder, about), own);
      return { notices: notices.map(({ message }) => message), created: line === undefined ? [] : [line] };
    },
    read: async (folder, about) => {
      const path = ownIn(folder, about);
      if (!reads || !(await isInside(folder, dirname(path)))) return undefined;
      return readLeft(path, pathIn(folder, about), about);
    },
    remove: async (folder, about) => {
      const path = ownIn(folder, about);
      if (await isInside(folder, dirname(path))) await rm(path, { force: true });
    },
  };
}

/**
 * In a checkout, a link may be of whoever made the commit: behind it, our files would be among theirs.
 * @throws GatelineError `STATE_ESCAPES`
 */
export async function refuseLinks(folder: string, root: string): Promise<void> {
  for (let place = root; place !== folder; place = dirname(place)) {
    if ((await unlessAbsent(lstat(place)))?.isSymbolicLink() !== true) continue;
    throw new GatelineError('STATE_ESCAPES', `${place} is a link`, { place: { file: place } });
  }
}

/** The state guide's line about a file that an agent finds. */
function loadedLine(root: string, folder: string, graph: UnitGraph, state: RunState, key: UnitKey): string[] {
  const unit = state.units.get(key);
  const word = gateWord(unit?.status ?? 'pending');
  if (unit === undefined || word === undefined) return [];
  const { gate, leg } = graph.get(key)!;
  const path = relative(folder, join(root, gateOutputFileName(state.subject, gate.number, leg.id)));
  return [`State file loaded: ${path.split(sep).join('/')}: ${scoreLine(word, unit)}`];
}

/** The state guide's line about the file of a gate that ended; `undefined`: it has no result. */
export function createdLine(file: string, unit: UnitState): string | undefined {
  const word = gateWord(unit.status);
  return word && `State file created: ${file}: ${scoreLine(word, unit)}`;
}

/** `Status: SUCCESS, Score: 95%`, as the state guide logs it. */
function scoreLine(word: string, unit: UnitState): string {
  return `Status: ${word}, Score: ${resultOf(unit)?.verdict.score ?? 0}%`;
}

/** The run as the agent sees it: in the user's own folder, people do, too. */
export function shownState(about: AboutStateFiles): RunState {
  return about.isUsersFolder ? about.state : stateForAgents(about.state, about);
}

function ownName(about: AboutStateFiles): string {
  const { gate, leg } = about.unit;
  return gateOutputFileName(shownState(about).subject, gate.number, leg.id);
}

async function readLeft(path: string, file: string, about: AboutStateFiles): Promise<LeftStateFile | undefined> {
  const read = await readPlainFile(path, LIMIT);
  if (read.state === 'absent') return undefined;
  const refuse = (message: string): LeftStateFile => {
    const issue: Issue = { severity: 'error', message: `${file}: ${message}` };
    return { file, content: { kind: 'malformed', refused: [issue] } };
  };
  if (read.state === 'too-large') return refuse(`it has ${read.size} bytes; at most ${LIMIT} are read`);
  if (read.state === 'refused') return refuse(read.why);
  const parsed = parseJson(read.bytes);
  if (!parsed.ok) return refuse(parsed.plain.message);
  const { unit, metadata } = about;
  return { file, content: leftEnvelope(parsed.value, { number: unit.gate.number, metadata }) };
}

/** Whether a folder is there, and no link leads out of the workspace. */
async function isInside(workspace: string, folder: string): Promise<boolean> {
  const real = await unlessAbsent(realpath(folder));
  if (real === undefined) return false;
  const way = relative(await realpath(workspace), real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
