import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { GateGroup, UnitKey } from '../../pipeline/pipeline.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { graphOf, type Unit, type UnitGraph } from '../../run/records/unit.ts';
import { gateCheckpointFileName, gateOutputFileName, pipelineFileName } from './file-names.ts';
import { gateEnvelope } from './gate-state.ts';
import { pipelineFile } from './pipeline-state.ts';

/** The input for {@link stateDocuments}. */
export interface StateDocumentsInput {
  readonly graph: UnitGraph;
  readonly groups: readonly GateGroup[];
  /** The pipeline's metadata, overridden by the caller's. */
  readonly metadata: JsonObject;
  /** Returns the Markdown checkpoint of a unit; `checkpointMarkdown` of the reports. */
  readonly checkpoint: (state: RunState, unit: Unit) => string;
  /**
   * Redacts secrets in a text: metadata may contain one. Records are redacted before they are stored. Default:
   * unchanged.
   */
  readonly redact?: (text: string) => string;
}

/** An output as it goes into the file: its value, its path, or why it cannot be shown; empty if there is none. */
export interface ShownOutput {
  readonly value?: JsonValue;
  /** Relative to the state folder. */
  readonly file?: string;
  readonly problem?: string;
}

/** Name and content of the two files of a gate. `undefined` content: the gate has no result yet and no such file. */
export interface GateDocuments {
  readonly output: { readonly name: string; readonly value: JsonObject | undefined };
  readonly checkpoint: { readonly name: string; readonly text: string | undefined };
}

/** The files of the state guide for one pipeline, as names and contents: what a store's projections write. */
export interface StateDocuments {
  pipeline(state: RunState): { readonly name: string; readonly value: JsonObject };
  gate(state: RunState, key: UnitKey, output: ShownOutput): GateDocuments | undefined;
}

/** Creates the state guide's documents from run states. Pure: the store writes them. */
export function stateDocuments(input: StateDocumentsInput): StateDocuments {
  const { graph, groups, checkpoint, redact = (text: string) => text } = input;
  const metadata = mapTexts(input.metadata, redact) as JsonObject;
  return {
    pipeline: (state) => ({
      name: pipelineFileName(state.subject),
      value: pipelineFile(state, {
        graph: graphOf(graph, state.units.values()),
        groups,
        metadata,
      }) as unknown as JsonObject,
    }),
    gate: (state, key, output) => {
      const unit = graphOf(graph, state.units.values()).get(key);
      const unitState = state.units.get(key);
      if (unit === undefined || unitState === undefined) return undefined;
      const envelope = gateEnvelope({
        gate: unit.gate,
        unit: unitState,
        pipeline: state.pipeline,
        subject: state.subject,
        runNumber: state.runNumber,
        metadata,
        output: output.value,
        ...(output.file !== undefined && { outputFile: output.file }),
        ...(output.problem !== undefined && { outputProblem: output.problem }),
      });
      const { number } = unit.gate;
      return {
        output: {
          name: gateOutputFileName(state.subject, number, unit.leg.id),
          value: envelope as unknown as JsonObject | undefined,
        },
        checkpoint: {
          name: gateCheckpointFileName(state.subject, number, unit.leg.id),
          text: envelope === undefined ? undefined : checkpoint(state, unit),
        },
      };
    },
  };
}

/** Changes every text in a JSON value except keys. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
