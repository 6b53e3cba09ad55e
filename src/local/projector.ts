import type { EngineEvent } from '../engine/ports.ts';
import { stateDocuments, type StateDocuments } from '../formats/state-guide/state-documents.ts';
import type { Assignment } from '../engine/call/call.ts';
import type { GateGroup, UnitKey } from '../pipeline/pipeline.ts';
import { checkpointMarkdown } from '../report/markdown/checkpoint.ts';
import { ofSubject } from '../run/records/attempt-text.ts';
import { NAMELESS_SUBJECT, subjectOfMetadata } from '../run/records/subject.ts';
import type { RunState, UnitState } from '../run/state/run-state.ts';
import { graphOf, type Unit, type UnitGraph } from '../run/records/unit.ts';
import {
  createProjections,
  type ProjectionDifference,
  type ProjectionNotice,
} from '../store/filesystem/projections/projections.ts';
import type { RecordStore } from '../store/record-store.ts';
import type { JsonObject } from '../json/json.ts';
import { stateRoot, type Durable, type StatePlace } from './local-ports.ts';
import { stateFileLines } from './state-files/state-file-lines.ts';

/** Keeps the files that people read up to date with the run. */
export interface Projector {
  /** Receives every event. Returns what people should know. */
  follow(event: EngineEvent): Promise<string[]>;
  /** Shows this state, whatever was shown before. */
  show(state: RunState): Promise<string[]>;
}

/** The files that people read and that do not show this state. Changes nothing. */
export async function compareFiles(
  input: Omit<ProjectorInput, 'onDurable'>,
  state: RunState,
): Promise<ProjectionDifference[]> {
  const projections = await createProjections({
    root: stateRoot(input.loaded),
    workspace: input.loaded.root,
    readOnly: true,
    documents: documentsFor(input),
    readContent: (digest) => input.store.get(digest),
  });
  return projections.compare(state);
}

/** The data that a projector shows. */
export interface ProjectorInput extends Durable {
  readonly loaded: StatePlace;
  readonly graph: UnitGraph;
  readonly groups: readonly GateGroup[];
  readonly metadata: JsonObject;
  readonly store: RecordStore;
  readonly redact: (text: string) => string;
  /** Whether a file in the place of a unit's own stays there, unless the unit is done. Default: none does. */
  readonly spares?: (unit: Unit) => Promise<boolean>;
  /** Whether there is a line about the file of each gate that ends, as in the state guide. Default false. */
  readonly tells?: boolean;
}

/** Creates the projections of the state guide's files for one call. */
export async function createProjector(input: ProjectorInput): Promise<Projector> {
  const { loaded, onDurable } = input;
  const projections = await createProjections({
    root: stateRoot(loaded),
    workspace: loaded.root,
    ...(onDurable && { onDurable }),
    documents: documentsFor(input),
    readContent: (digest) => input.store.get(digest),
  });
  let shown: RunState | undefined;
  const update = async (next: RunState): Promise<ProjectionNotice[]> => {
    const before = shown;
    shown = next;
    const changed: UnitKey[] = [];
    for (const key of next.units.keys())
      if ((before === undefined || differs(before, next, key)) && !(await isSpared(input, next, key)))
        changed.push(key);
    return projections.update(next, changed);
  };
  return {
    show: async (state) => (await update(state)).map(noticeText),
    follow: async (event) => {
      if (!('state' in event)) return [];
      const { state } = event;
      const notices = await update(state);
      const texts = notices.map(noticeText);
      if (event.type !== 'ended' || input.tells !== true) return texts;
      const run = { place: loaded, graph: graphOf(input.graph, state.units.values()), state };
      const lines = stateFileLines('created', run, event.unit, notices);
      return [...texts, ...lines.map((line) => `${event.unit}: ${line}`)];
    },
  };
}

function noticeText({ file, message }: ProjectionNotice): string {
  return `${file}: ${message}`;
}

/**
 * A run as agents see it. A default subject is not part of their request, so they must not find it in a file either:
 * the files are then named after the metadata, or {@link NAMELESS_SUBJECT}. Nor do they learn which other
 * subject an output was reused from.
 */
export function stateForAgents(state: RunState, { metadata, isDefaultSubject }: AboutSubject): RunState {
  if (isDefaultSubject !== true) return state;
  const subject = subjectForAgents(state.subject, { metadata, isDefaultSubject });
  return { ...state, subject, units: new Map([...state.units].map(([key, unit]) => [key, withoutOrigin(unit)])) };
}

/** The subject in the names of files that agents see. */
export function subjectForAgents(subject: string, { metadata, isDefaultSubject }: AboutSubject): string {
  return isDefaultSubject === true ? (subjectOfMetadata(metadata) ?? NAMELESS_SUBJECT) : subject;
}

/** The state without the subject that its output was reused from. */
function withoutOrigin(unit: UnitState): UnitState {
  const { ended } = unit;
  if (ended?.source?.subject === undefined) return unit;
  const { subject, ...source } = ended.source;
  return { ...unit, reason: unit.reason.replaceAll(ofSubject(subject), ''), ended: { ...ended, source } };
}

type AboutSubject = Pick<Assignment, 'isDefaultSubject' | 'metadata'>;

/** The documents of a run, with its Markdown checkpoints. */
export function documentsFor({
  graph,
  groups,
  metadata,
  redact,
}: Pick<ProjectorInput, 'graph' | 'groups' | 'metadata' | 'redact'>): StateDocuments {
  return stateDocuments({
    graph,
    groups,
    metadata,
    redact,
    checkpoint: (run, unit) => checkpointMarkdown({ unit, graph: graphOf(graph, run.units.values()), state: run }),
  });
}

async function isSpared({ spares, graph }: ProjectorInput, { units }: RunState, key: UnitKey): Promise<boolean> {
  const unit = graph.get(key);
  return spares !== undefined && unit !== undefined && units.get(key)?.done !== true && (await spares(unit));
}

function differs(before: RunState, after: RunState, key: UnitKey): boolean {
  const [a, b] = [before.units.get(key), after.units.get(key)];
  return a?.status !== b?.status || a?.ended !== b?.ended || a?.reason !== b?.reason || a?.done !== b?.done;
}
