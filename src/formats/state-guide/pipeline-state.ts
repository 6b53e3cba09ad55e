import { z } from 'zod';
import type { JsonObject } from '../../json/json.ts';
import { RUN_STATUSES, UNIT_STATUSES, resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import { groupStates, groupStateSchema } from '../../run/state/group-states.ts';
import type { GateGroup } from '../../pipeline/pipeline.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { gateOutputFileName } from './file-names.ts';
import { stateMetadataSchema } from './gate-state-schema.ts';
import { pipelineMetadata } from './state-metadata.ts';
import { gateWord, PIPELINE_WORDS, pipelineWord } from './guide-words.ts';

/** Version of the `gateline` part of the pipeline's state file. */
export const PIPELINE_STATE_FORMAT = 'gateline-pipeline-state/1';

const counter = z.int().min(0);

/** What Gateline adds to the guide's pipeline file, under one key. */
const gatelineOfPipelineSchema = z.object({
  format: z.literal(PIPELINE_STATE_FORMAT),
  pipeline: z.string(),
  subject: z.string(),
  run: counter,
  /** The latest call that wrote to the run. */
  call: counter,
  status: z.enum(RUN_STATUSES),
  startedAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** Every gate, and every leg of a matrix gate, ordered so that each comes after its needs. */
  gates: z.array(
    z.object({
      gate: z.string(),
      leg: z.string(),
      number: counter,
      status: z.enum(UNIT_STATUSES),
      reason: z.string(),
      done: z.boolean(),
      reused: z.boolean(),
      /** `null`: not judged. */
      score: z.number().nullable(),
      /** Name of its output file, in the same folder; `null` while it has no result. */
      file: z.string().nullable(),
    }),
  ),
  /** In the order of the definition. */
  groups: z.array(groupStateSchema),
  checksum: z.string().optional(),
});

/** The state guide's `PipelineStateFile`, with our fields under `gateline`. Unknown keys are dropped. */
export const pipelineStateSchema = z.object({
  status: z.enum(PIPELINE_WORDS),
  currentGate: counter,
  completedGates: z.array(counter).max(10_000),
  metadata: stateMetadataSchema.extend({ userStory: z.string(), acceptanceCriteria: z.array(z.string()) }),
  gateline: gatelineOfPipelineSchema.optional(),
});
export type PipelineStateFile = z.infer<typeof pipelineStateSchema>;

/** The input for {@link pipelineFile}, besides the state. */
export interface PipelineFileInput {
  readonly graph: UnitGraph;
  readonly groups: readonly GateGroup[];
  /** The pipeline's metadata; see `pipelineMetadata`. */
  readonly metadata: JsonObject;
}

/**
 * The state guide's file for a whole pipeline. `currentGate`: the lowest number of a gate that is executing, otherwise
 * of the first gate that is not done, otherwise the highest number. `completedGates`: ascending; includes a matrix gate
 * if all its legs are done.
 */
export function pipelineFile(state: RunState, { graph, groups, metadata }: PipelineFileInput): PipelineStateFile {
  const { userStory, acceptanceCriteria, ...base } = pipelineMetadata(metadata, state.subject);
  return {
    status: pipelineWord(state),
    ...progressOf(state, graph),
    metadata: { ...base, userStory, acceptanceCriteria: [...acceptanceCriteria] },
    gateline: {
      format: PIPELINE_STATE_FORMAT,
      pipeline: state.pipeline,
      subject: state.subject,
      run: state.runNumber,
      call: state.runAttempt,
      status: state.status,
      startedAt: state.startedAt ?? null,
      updatedAt: state.updatedAt ?? null,
      gates: [...graph.values()].map((unit) => gateOf(unit, state)),
      groups: groupStates(state, groups),
    },
  };
}

function progressOf(state: RunState, graph: UnitGraph): Pick<PipelineStateFile, 'currentGate' | 'completedGates'> {
  const units = [...graph.values()];
  const numbers = (choose: (unit: UnitState | undefined) => boolean): number[] =>
    [...new Set(units.filter((unit) => choose(state.units.get(unit.key))).map((unit) => unit.gate.number))].sort(
      (a, b) => a - b,
    );
  const all = numbers(() => true);
  const open = numbers((unit) => unit?.done !== true);
  const running = numbers((unit) => unit?.status === 'running');
  return {
    currentGate: running[0] ?? open[0] ?? all.at(-1) ?? 0,
    completedGates: all.filter((number) => !open.includes(number)),
  };
}

type GateOfPipeline = NonNullable<PipelineStateFile['gateline']>['gates'][number];

function gateOf({ key, gate, leg }: Unit, state: RunState): GateOfPipeline {
  const unit = state.units.get(key);
  const status = unit?.status ?? 'pending';
  return {
    gate: gate.id,
    leg: leg.id,
    number: gate.number,
    status,
    reason: unit?.reason ?? '',
    done: unit?.done ?? false,
    reused: unit?.reused ?? false,
    score: (unit && resultOf(unit))?.verdict.score ?? null,
    file: gateWord(status) === undefined ? null : gateOutputFileName(state.subject, gate.number, leg.id),
  };
}
