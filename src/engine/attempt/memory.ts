import { join } from 'node:path';
import { ATTEMPT_FILES } from '../../agent/environment.ts';
import { GatelineError } from '../../errors.ts';
import { digestOf, type Digest } from '../../json/digest.ts';
import type { JsonObject } from '../../json/json.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import type { EndedEntry, Entry } from '../../run/entry.ts';
import { renderHandoff } from '../../run/handoff.ts';
import { documentPath, HANDOFF, newItems, PATTERNS, readLearnings, type Item } from '../../run/memory.ts';
import { completedTasks } from '../../run/tasks.ts';
import { fileGlobs } from '../../run/units.ts';
import { createMatcher } from '../../workspace/globs.ts';
import type { Call } from '../call.ts';
import type { Ports } from '../ports.ts';

/** Digests of the documents of a gate, for its request. The handoff is no part of the request: it differs each time. */
export async function digestDocuments(call: Call, { memory }: Gate): Promise<Record<string, Digest>> {
  const digests: Record<string, Digest> = {};
  for (const name of memory) {
    const bytes = name === HANDOFF ? undefined : await call.ports.documents.read(name);
    if (bytes) digests[name] = digestOf(bytes);
  }
  return digests;
}

/**
 * Checks, before an agent costs something, that each document exists or that a gate makes it.
 * @throws GatelineError `usage` naming the document that is missing
 */
export async function requireDocuments({ ports, order }: Call): Promise<void> {
  const { gates } = order.pipeline;
  const isMade = createMatcher(gates.flatMap(fileGlobs));
  for (const gate of gates) {
    if (order.only && !order.only.has(gate.id)) continue;
    for (const name of gate.memory)
      if (name !== HANDOFF && !isMade(documentPath(name)) && (await ports.documents.read(name)) === undefined)
        throw missing(gate, name);
  }
}

function missing({ id, place }: Gate, name: string): GatelineError {
  return new GatelineError('usage', `${id} needs the document ${name}, and there is no ${documentPath(name)}`, {
    place,
    hint:
      name === PATTERNS
        ? `write it, or let \`gateline memory promote\` begin it with what agents learned`
        : `write it, or remove ${name} from \`memory\` of ${id}`,
  });
}

/** Copies the documents of a gate into the directory of an attempt. @returns for its request: their files and digests */
export async function placeDocuments(call: Call, gate: Gate, directory: string): Promise<JsonObject> {
  const documents: JsonObject = {};
  for (const name of gate.memory) {
    const bytes = name === HANDOFF ? await makeHandoff(call) : await call.ports.documents.read(name);
    if (bytes === undefined) throw missing(gate, name);
    const file = `${ATTEMPT_FILES.memory}/${name}.md`;
    await call.ports.attempts.write(directory, file, bytes);
    documents[name] = { file: join(directory, file), ...(name !== HANDOFF && { digest: digestOf(bytes) }) };
  }
  return documents;
}

/** The handoff document: what was done before, for an agent that starts fresh. */
export async function makeHandoff({ ports, order, state, entries }: Call): Promise<string> {
  const { pipeline, redactor, subject, task } = order;
  const learnings = await readNewLearnings(ports, entries, pipeline.id);
  const others = completedTasks(entries, pipeline.id).filter((other) => other.subject !== subject);
  const tasks = others.slice(-MAX_TASKS).map((other) => `${other.subject}: ${other.task}`);
  return redactor.text(renderHandoff(pipeline, state, { task, learnings: learnings.slice(-MAX_LEARNINGS), tasks }));
}

const MAX_TASKS = 20;
const MAX_LEARNINGS = 100;
/** Attempts whose learnings are read. */
const MAX_ATTEMPTS = 200;

/** Something that an agent learned. */
export interface Learning extends Item {
  readonly gate: string;
  readonly subject: string;
}

/** What agents learned, without duplicates, the newest last. */
export async function readAllLearnings(
  { contents }: Pick<Ports, 'contents'>,
  entries: readonly Entry[],
  pipeline: string,
): Promise<Learning[]> {
  const isLearned = (entry: Entry): entry is EndedEntry =>
    entry.kind === 'ended' && entry.how === 'ran' && entry.pipeline === pipeline && entry.learnings !== undefined;
  const reads = entries
    .filter(isLearned)
    .slice(-MAX_ATTEMPTS)
    .map(async ({ learnings, unit: gate, subject }) => {
      const bytes = await contents.get(learnings!.digest);
      return readLearnings(new TextDecoder().decode(bytes)).map((item) => ({ ...item, gate, subject }));
    });
  return newItems((await Promise.all(reads)).flat(), '');
}

/** What agents learned and nobody promoted to the patterns document. */
export async function readNewLearnings(
  ports: Pick<Ports, 'contents' | 'documents'>,
  entries: readonly Entry[],
  pipeline: string,
): Promise<Learning[]> {
  const patterns = new TextDecoder().decode(await ports.documents.read(PATTERNS));
  return newItems(await readAllLearnings(ports, entries, pipeline), patterns);
}
