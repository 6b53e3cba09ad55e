import { Call } from '../../engine/call.ts';
import { makeHandoff, readAllLearnings, readNewLearnings, type Learning } from '../../engine/attempt/memory.ts';
import type { Order } from '../../engine/ports.ts';
import { messageOf } from '../../errors.ts';
import { deepDiveHeader } from '../../formats/agent-flow/read.ts';
import { duration } from '../../pipeline/values.ts';
import { addItems, documentPath, HANDOFF, MEMORY_FOLDER, newItems, PATTERNS, PROGRESS } from '../../run/memory.ts';
import { completedTasks } from '../../run/tasks.ts';
import { UnitGraph } from '../../run/units.ts';
import { createGit } from '../../workspace/git.ts';
import type { DocumentFile } from './documents.ts';
import type { Folder } from '../folder/folder.ts';

/** A document, and whether it is up to date if it is a deep dive. */
export type DocumentView = DocumentFile & { readonly freshness?: Freshness };

/** Whether a document still describes the code. */
export interface Freshness {
  readonly isStale: boolean;
  /** Part of a sentence. */
  readonly reason: string;
}

/** The documents of a folder, and what agents learned that nobody promoted. */
export interface MemoryView {
  readonly documents: readonly DocumentView[];
  readonly learnings: readonly Learning[];
}

export async function viewMemory(folder: Folder, { pipeline }: Order): Promise<MemoryView> {
  const { documents, log, ports } = folder;
  const views = ((await documents.list()) ?? []).map(async (file): Promise<DocumentView> => {
    const header = deepDiveHeader(new TextDecoder().decode(await documents.read(file.name)));
    return { ...file, freshness: header && (await checkFreshness(folder, header)) };
  });
  const learnings = await readNewLearnings(ports, await log.read(), pipeline.id);
  return { documents: await Promise.all(views), learnings };
}

/** Adds what agents learned to `learned-patterns.md`, without duplicates. @param gates only of these; empty: all */
export async function promoteLearnings(
  { documents, log, ports }: Folder,
  { pipeline }: Order,
  gates: readonly string[],
): Promise<readonly Learning[]> {
  const graph = new UnitGraph(pipeline);
  for (const gate of gates) graph.requireGate(gate);
  const learnings = await readNewLearnings(ports, await log.read(), pipeline.id);
  const chosen = learnings.filter(({ gate }) => gates.length === 0 || gates.includes(gate.split('/')[0]!));
  const before = await documents.read(PATTERNS);
  const text = before === undefined ? '# Learned Patterns' : new TextDecoder().decode(before);
  if (chosen.length > 0) await documents.write(PATTERNS, addItems(text, chosen, '', true));
  return chosen;
}

/**
 * Adds completed tasks and learnings to `progress.md`, as dev-loop does, if the folder has documents. A failure to write
 * is only a notice.
 */
export async function writeProgress({ documents, log, ports, options }: Folder, { pipeline }: Order): Promise<void> {
  try {
    if ((await documents.list()) === undefined) return;
    const entries = await log.read();
    const tasks = completedTasks(entries, pipeline.id).map(({ subject, task }) => {
      const line = task.replace(/\s+/g, ' ').trim();
      return { heading: 'Completed Tasks', text: line === '' ? subject : `${subject}: ${line}` };
    });
    const learnings = (await readAllLearnings(ports, entries, pipeline.id)).map(({ heading, text }) => ({
      heading: 'Learnings',
      text: heading === 'Learnings' ? text : `${heading}: ${text}`,
    }));
    const before = new TextDecoder().decode((await documents.read(PROGRESS)) ?? Buffer.from('# Progress'));
    if (newItems([...tasks, ...learnings], before).length === 0) return;
    await documents.write(PROGRESS, addItems(addItems(before, tasks, '[x] '), learnings));
  } catch (error) {
    options.observe({ type: 'notice', message: `${documentPath(PROGRESS)} is not renewed: ${messageOf(error)}` });
  }
}

/** The handoff document for an agent that would start now. */
export async function readHandoff(folder: Folder, order: Order): Promise<string> {
  return makeHandoff(await Call.open(folder.ports, order));
}

/** The texts of all documents by name, the handoff included. */
export async function readDocuments(folder: Folder, order: Order): Promise<Record<string, string>> {
  const texts: Record<string, string> = { [HANDOFF]: await readHandoff(folder, order) };
  for (const { name } of (await folder.documents.list()) ?? [])
    texts[name] = order.redactor.text(new TextDecoder().decode(await folder.documents.read(name)));
  return texts;
}

/** Default of `stale_after`. */
const STALE_AFTER = '20 commits';

/**
 * Whether a deep dive is stale, by `stale_after` of its front matter: after some time (`30d`), or some commits in its
 * part of the code base (`20 commits`).
 */
export async function checkFreshness(
  { options, ports }: Folder,
  header: NonNullable<ReturnType<typeof deepDiveHeader>>,
): Promise<Freshness> {
  const { generated, phase, focus_path: focus, commit, stale_after: limit = STALE_AFTER } = header;
  if (phase !== 'complete') return { isStale: true, reason: `it is not complete: ${phase}` };
  const age = duration.safeParse(limit);
  if (age.success) {
    const isStale = ports.clock.now().getTime() - Date.parse(generated) > age.data;
    return { isStale, reason: `made ${generated}, and \`stale_after\` is ${String(limit)}` };
  }
  const most = /^(\d{1,6}) commits?$/.exec(String(limit))?.[1];
  if (most === undefined) return { isStale: true, reason: '`stale_after` is no time, and no number of commits' };
  if (typeof commit !== 'string' || !/^[0-9a-f]{40,64}$/.test(commit))
    return { isStale: true, reason: 'it names no commit' };
  try {
    const args = ['rev-list', '--count', `${commit}..HEAD`, '--', focus ?? '.', `:(exclude)${MEMORY_FOLDER}`];
    const count = Number(await createGit(options.environment)(args, { cwd: options.root }));
    return { isStale: count >= Number(most), reason: `${count} of ${most} commits since ${commit.slice(0, 12)}` };
  } catch {
    return { isStale: true, reason: `its commit ${commit.slice(0, 12)} is not in this clone` };
  }
}
