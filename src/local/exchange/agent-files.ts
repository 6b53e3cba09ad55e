import { posix } from 'node:path';
import type { AboutStateFiles } from '../../engine/call/guide-files.ts';
import type { Environment } from '../../environment.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { agentsView } from '../../formats/agents-view.ts';
import type { ExportedRun, NamedDocument } from '../../formats/exchange.ts';
import { FORMATS } from '../../formats/formats.ts';
import { HANDOFF } from '../../memory/documents.ts';
import type { MirrorFormat } from '../../pipeline/job-settings.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { graphOf, unitsOf } from '../../run/records/unit.ts';
import { StateFolder } from '../../store/filesystem/state-folder.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { fileOf } from '../load-pipeline.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';
import { readDocument } from '../memory/documents.ts';
import { refuseLinks, shownState, type AgentStateFiles } from '../state-files/agent-state-files.ts';
import { withOutputs } from './exported-run.ts';
import { ignoreExported, writeExported } from './write-files.ts';

/** What is needed to write files of other systems next to agents. */
export interface AgentFilesInput {
  readonly place: StatePlace;
  readonly store: Pick<RecordStore, 'get'>;
  /** For git. */
  readonly environment: Environment;
  readonly now: () => Date;
  /** Whether an agent must not start without the files. Otherwise, why there are none is only said. */
  readonly required: boolean;
}

/**
 * Writes the files of other systems next to agents, too: before an agent starts and when its gate ended, for that gate
 * and those before it. They are never read, and git ignores them. In the user's own folder, the files of the whole run
 * are written by others.
 * @param guide the state guide's files, if they are asked for
 */
export function withAgentFiles(
  guide: AgentStateFiles | undefined,
  formats: readonly MirrorFormat[],
  input: AgentFilesInput,
): AgentStateFiles {
  const said = new Set<string>();
  const write = async (folder: string, about: AboutStateFiles): Promise<WrittenAgentFiles> => {
    if (about.isUsersFolder) return { notices: [], written: [] };
    const run = await runFor(folder, about, input);
    const [notices, written]: [string[], string[]] = [[], []];
    for (const name of formats) {
      try {
        written.push(await writeFormat(name, folder, run, input));
      } catch (error) {
        if (input.required || !(error instanceof GatelineError) || error.fault === 'gateline') throw error;
        const message = `the agent has no files of ${name}: ${error.message}`;
        if (!said.has(message)) notices.push(message);
        said.add(message);
      }
    }
    return { notices, written };
  };
  return {
    prepare: async (folder, about, kept) => {
      const prepared = await guide?.prepare(folder, about, kept);
      const { notices, written } = await write(folder, about);
      return {
        notices: [...(prepared?.notices ?? []), ...notices],
        // On a machine of one's own, people see where the files are.
        loaded: [...(prepared?.loaded ?? []), ...(input.required ? written : [])],
      };
    },
    show: async (folder, about) => {
      const shown = await guide?.show(folder, about);
      const { notices } = await write(folder, about);
      return { created: shown?.created ?? [], notices: [...(shown?.notices ?? []), ...notices] };
    },
    read: async (folder, about) => guide?.read(folder, about),
    remove: async (folder, about) => guide?.remove(folder, about),
  };
}

/** One sentence each: what people should know, and what was written. */
interface WrittenAgentFiles {
  readonly notices: readonly string[];
  readonly written: readonly string[];
}

/** @returns a line about the files */
async function writeFormat(
  name: MirrorFormat,
  folder: string,
  run: ExportedRun,
  { place, environment }: AgentFilesInput,
): Promise<string> {
  const format = FORMATS[name]!;
  const files = format.write(run);
  const root = stateRoot({ ...place, root: folder });
  await refuseLinks(folder, root);
  const { temporaryFolder } = await StateFolder.open({ root, workspace: folder });
  // The version that an agent leaves is read by the rules of the user's repository; the agent sees those of its own.
  for (const one of new Set([place.root, folder])) await ignoreExported(one, format, files, environment);
  await writeExported({ root: folder, folder: format.folder, temporaryFolder }, files);
  return `Files of ${name}: ${files.map(({ path }) => posix.join(format.folder, path)).join(', ')}`;
}

async function runFor(
  folder: string,
  about: AboutStateFiles,
  { place, store, now }: AgentFilesInput,
): Promise<ExportedRun> {
  const { unit, pipeline, metadata, records, handoff = '', redact } = about;
  const state = shownState(about);
  const run = {
    state,
    pipeline,
    graph: graphOf(unitsOf(pipeline), state.units.values()),
    definition: place.path === undefined ? '' : fileOf({ root: place.root, path: place.path }),
    metadata,
    records,
    others: [],
    documents: await documentsOf(folder, unit.gate),
    handoff,
    estimatedMs: undefined,
  };
  return agentsView(await withOutputs(run, { store, now: now(), redact }), unit.key);
}

/** Those that the gate asks for: others are no inputs of it. */
async function documentsOf(folder: string, { memory }: Gate): Promise<NamedDocument[]> {
  const names = memory.filter((name) => name !== HANDOFF);
  const read = await Promise.all(names.map(async (name) => ({ name, text: await readDocument(folder, name) })));
  return read.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
}
