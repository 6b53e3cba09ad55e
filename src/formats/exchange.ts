import type { HistoryEntry } from '../history/entry.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import type { GatelineRecord } from '../run/records/record.ts';
import type { UnitGraph } from '../run/records/unit.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { Issue } from '../verdict/verdict.ts';

/** A file that another system wrote. */
export interface SourceFile {
  /** Relative to the folder that is imported from, `/`-separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** When it was written, in milliseconds. */
  readonly modified: number;
}

/** A file as another system writes it. */
export interface WrittenFile {
  /** Relative to the folder of the format. */
  readonly path: string;
  readonly text: string;
}

/** A document for agents: its name, and its Markdown. */
export interface NamedDocument {
  readonly name: string;
  readonly text: string;
}

/** What keeps files from being imported. */
export interface FileProblem {
  readonly file: string;
  /** JSON pointer into the file, or into its front matter. */
  readonly pointer: string;
  readonly message: string;
}

/** A part of a file that Gateline does not take over. */
export interface NotMoved {
  readonly file: string;
  readonly pointer: string;
  readonly reason: string;
}

/** A gate, phase or node of another system. */
export interface ImportedGate {
  /** Its id, or the number of a gate. */
  readonly gate: string | number;
  /** The leg that the output is of, as names of files have it. Default: the file names none. */
  readonly leg?: string;
  /** The files say that all of its legs are completed. */
  readonly isWhole?: true;
  readonly agent?: string;
  /** Its `output` in a new definition: where the output has what the files say of it. */
  readonly contract?: JsonObject;
  /** Ids of the gates before it, for a new definition. */
  readonly needs: readonly string[];
  /** What it produced, if it is completed. */
  readonly output?: JsonValue;
  /** It comes after those that the files are about, and is only for a new definition. */
  readonly isLater?: true;
  /** What its files remark about the output. They decide nothing. */
  readonly issues?: readonly Issue[];
  /** Where the files say that it is completed. */
  readonly place: { readonly file: string; readonly pointer: string };
}

/** What files of another system say, in the words of Gateline. */
export interface ImportedRun {
  /** Id for a new definition. */
  readonly pipeline?: string;
  readonly subject?: string;
  /** The slug of the subject in the names of files: that of the run must be the same. */
  readonly slug?: string;
  /** The file that `keys` come from. Default: that of the first gate. */
  readonly file?: string;
  /** In the order of the original. */
  readonly gates: readonly ImportedGate[];
  /** Keys of `gateline.yml` with the same meaning: `task`, `metadata`, `retention`. */
  readonly keys: JsonObject;
  readonly documents: readonly NamedDocument[];
  readonly history: readonly HistoryEntry[];
}

/** The result of reading files of another system. Nothing is imported if there are problems. */
export interface FormatReading {
  readonly run: ImportedRun;
  readonly problems: readonly FileProblem[];
  readonly notMoved: readonly NotMoved[];
  /** What people should know, a sentence each. */
  readonly notes: readonly string[];
}

/** A run, as formats write it. Texts are redacted. */
export interface ExportedRun {
  readonly state: RunState;
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  /** Path of the definition, relative to the workspace. */
  readonly definition: string;
  readonly metadata: JsonObject;
  /** The records of the run. */
  readonly records: readonly GatelineRecord[];
  /** Outputs of units that have one. */
  readonly outputs: ReadonlyMap<UnitKey, JsonValue>;
  /** Entries of all runs of the workspace, the oldest first; that of this run as it is now is among them. */
  readonly history: readonly HistoryEntry[];
  readonly documents: readonly NamedDocument[];
  /** The summary for the next run, as gates with `memory: [handoff]` get it. */
  readonly handoff: string;
  /** How long the run is likely to take, in milliseconds; `undefined`: not known. */
  readonly estimatedMs: number | undefined;
}

/** The files of another system. */
export interface FileFormat {
  /** Where the system keeps its files, relative to the workspace. */
  readonly folder: string;
  /** The line of a `.gitignore` for them. */
  readonly ignore: string;
  /** Gateline keeps these files itself, in their folder. */
  readonly isKept?: true;
  /** Whether a file of the folder is one of them. */
  readonly isKnown: (path: string) => boolean;
  /** The slug of the subject that a file is named after. Default: the files of a folder are about one run. */
  readonly slugOf?: (path: string) => string | undefined;
  /** Folders next to its files that an import leaves where they are, each with the reason. Default: none. */
  readonly left?: Readonly<Record<string, string>>;
  /** Pure. Never throws, whatever the files contain. */
  readonly read: (files: readonly SourceFile[]) => FormatReading;
  readonly write: (run: ExportedRun) => readonly WrittenFile[];
}
