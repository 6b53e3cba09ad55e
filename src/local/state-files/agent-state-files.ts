import { lstat, realpath, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { readPlainFile } from '../../agent/process/read-plain-file.ts';
import type { AboutStateFiles, KeptFiles, LeftStateFile, StateFiles } from '../../engine/call/guide-files.ts';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { isFromSystem, unlessAbsent, writing } from '../../errors/store-errors.ts';
import { gateOutputFileName } from '../../formats/state-guide/file-names.ts';
import { gateWord } from '../../formats/state-guide/guide-words.ts';
import { leftEnvelope } from '../../formats/state-guide/left-envelope.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { parseJson, type JsonIssue } from '../../json/parse-json.ts';
import { ancestorsOf, graphOf, unitsOf, type Unit } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { QUARANTINE } from '../../store/filesystem/quarantine.ts';
import { StateFolder } from '../../store/filesystem/state-folder.ts';
import { createProjections, type Projections } from '../../store/filesystem/projections/projections.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { Issue } from '../../verdict/verdict.ts';
import { readText } from '../../workspace/files/read-text.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';
import { documentsFor, stateForAgents } from '../projector.ts';
import { stateFileLines } from './state-file-lines.ts';

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
 * @param reads whether a state file that an agent left is its output, by its path in the workspace. Default: each is
 */
export function agentStateFiles(
  place: StatePlace,
  store: Pick<RecordStore, 'get'>,
  reads: (path: string) => Promise<boolean> = () => Promise.resolve(true),
): AgentStateFiles {
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
    prepare: async (folder, about, { units: kept, redact }) => {
      const { unit, isUsersFolder, pipeline } = about;
      const state = shownState(about);
      if (!isUsersFolder) await refuseLinks(folder, rootIn(folder));
      const projections = await projectionsIn(folder, about);
      const graph = graphOf(unitsOf(pipeline), state.units.values());
      const above = isUsersFolder ? [] : ancestorsOf(graph, unit.key);
      const written = above.filter((key) => !kept.has(key));
      const shown = isUsersFolder ? [] : await projections.update(state, written);
      for (const key of [...above, unit.key]) {
        const hasResult = key !== unit.key && gateWord(state.units.get(key)?.status ?? 'pending') !== undefined;
        const { gate, leg } = graph.get(key)!;
        if (hasResult || kept.has(key)) continue;
        shown.push(...(await projections.clear(state, gateOutputFileName(state.subject, gate.number, leg.id))));
      }
      if (!isUsersFolder) for (const key of kept) await layStandIn({ place, folder, about, redact }, graph.get(key)!);
      const run = { place: { ...place, root: folder }, graph, state };
      // What replaces an output has a line of its own.
      const needs = unit.needs.filter((key) => !kept.has(key));
      const loaded = needs.flatMap((key) => stateFileLines('loaded', run, key, shown));
      return { notices: shown.map(({ message }) => message), loaded };
    },
    show: async (folder, about) => {
      if (!about.isUsersFolder) await refuseLinks(folder, rootIn(folder));
      const notices = await (await projectionsIn(folder, about)).showUnit(shownState(about), about.unit.key);
      const state = shownState(about);
      const run = {
        place: { ...place, root: folder },
        graph: graphOf(unitsOf(about.pipeline), state.units.values()),
        state,
      };
      return {
        notices: notices.map(({ message }) => message),
        created: stateFileLines('created', run, about.unit.key, notices),
      };
    },
    read: async (folder, about) => {
      const path = ownIn(folder, about);
      if (!(await isFolderInside(folder, dirname(path)))) return undefined;
      const file = pathIn(folder, about);
      const left = await readLeft(path, file, about);
      return left === undefined || !(await reads(file)) ? undefined : left;
    },
    remove: async (folder, about) => {
      const path = ownIn(folder, about);
      if (!(await isFolderInside(folder, dirname(path)))) return;
      await writing(path, () => rm(path, { recursive: true, force: true }));
    },
  };
}

/**
 * In a checkout, a link may be of whoever made the commit: behind it, our files would be among theirs, or git's.
 * @throws GatelineError `STATE_ESCAPES`
 */
export async function refuseLinks(folder: string, root: string): Promise<void> {
  const parts = relative(folder, root).split(sep);
  const above = parts.map((_, index) => join(folder, ...parts.slice(0, index + 1)));
  for (const place of [...above, join(root, 'tmp'), join(root, QUARANTINE)]) {
    const found = await unlessAbsent(lstat(place)).catch(notBelowFile);
    if (found?.isSymbolicLink() === true)
      throw new GatelineError('STATE_ESCAPES', `${place} is a link`, { place: { file: place } });
  }
}

/** Whoever writes there says what is in the way. */
function notBelowFile(error: unknown): undefined {
  if (!isSystemError(error, 'ENOTDIR')) throw error;
}

/** Where a state file of another tool is to be, and what must not be in it. */
interface Laying extends Pick<KeptFiles, 'redact'> {
  readonly place: StatePlace;
  readonly folder: string;
  readonly about: AboutStateFiles;
}

/**
 * Puts a state file of another tool, which replaces the output of a gate, next to the agent. In a job, which has one
 * folder, it is there, and only changed if it has what the agent must not see.
 */
async function layStandIn({ place, folder, about, redact }: Laying, unit: Unit): Promise<void> {
  const isThere = (await realpath(folder)) === (await realpath(place.root));
  const nameFor = (subject: string): string => gateOutputFileName(subject, unit.gate.number, unit.leg.id);
  const name = nameFor(shownState(about).subject);
  const source = join(stateRoot(place), isThere ? name : nameFor(about.state.subject));
  const text = await readText(place.root, relative(place.root, source));
  const parsed = text === undefined ? undefined : parseJson(Buffer.from(text));
  // It was replaced by ours since it was read. The request has its output in any case.
  if (parsed?.ok !== true || !isJsonObject(parsed.value) || isOurs(parsed.value)) return;
  const clean = await redact(unit, parsed.value);
  const isClean = digestOfJson(clean) === digestOfJson(parsed.value);
  if (isThere && isClean) return;
  const root = stateRoot({ ...place, root: folder });
  const { temporaryFolder } = await StateFolder.open({ root, workspace: folder });
  await atomicWrite(join(root, name), isClean ? text! : `${JSON.stringify(clean, null, 2)}\n`, { temporaryFolder });
}

function isOurs(file: JsonObject): boolean {
  return Object.hasOwn(file, 'gateline');
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
  const content = leftEnvelope(parsed.value, { number: unit.gate.number, metadata });
  return { file, content: content.refused === undefined ? { ...content, read: readIssues(parsed.notices) } : content };
}

/** What was noticed when the file was parsed, as far as it is about the output in it. */
function readIssues(notices: readonly JsonIssue[]): Issue[] {
  return notices.flatMap(({ pointer, ...issue }) => {
    if (pointer === undefined) return [issue];
    return pointer.startsWith('/output') ? [{ ...issue, pointer: pointer.slice('/output'.length) }] : [];
  });
}

/** Whether a folder is there, and no link leads out of the workspace: an agent may have left anything in its place. */
async function isFolderInside(workspace: string, folder: string): Promise<boolean> {
  try {
    const real = await realpath(folder);
    const way = relative(await realpath(workspace), real);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way) && (await stat(real)).isDirectory();
  } catch (error) {
    if (isFromSystem(error)) return false;
    throw error;
  }
}
