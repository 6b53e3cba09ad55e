import { assignmentFor, type SetOrder } from '../../engine/set/set-order.ts';
import { loadSet } from '../../local/load-set.ts';
import { subjectsOfSet } from '../../pipeline/subjects/chosen.ts';
import type { SubjectGraph } from '../../pipeline/subjects/subject-set.ts';
import { textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { loadFor, open, type OpenProject } from '../project/open.ts';
import type { WhatToRun } from '../project/what-to-run.ts';
import { refuseSetOptions } from './set-options.ts';

/** A pipeline and the file of a set, read. */
export interface LoadedSet extends Pick<OpenProject, 'loaded'> {
  readonly subjects: SubjectGraph;
  /** Ids of the subjects that `--only-set` chooses. */
  readonly only: ReadonlySet<string> | undefined;
}

/** A set with the engine's ports. */
export interface OpenSet extends OpenProject {
  readonly order: SetOrder;
}

/** @throws GatelineError `OPTION_CONFLICT`, `SET_UNKNOWN`, `SET_UNREADABLE`; SetInvalidError, PipelineInvalidError */
export async function loadSetFor(invocation: CommandInvocation): Promise<LoadedSet> {
  const { world, options } = invocation;
  refuseSetOptions(options);
  const loaded = await loadFor(invocation);
  const subjects = await loadSet(world.workingDirectory, textOption(options, 'set')!);
  return { loaded, subjects, only: onlyOf(options, subjects) };
}

function onlyOf(options: OptionValues, subjects: SubjectGraph): Set<string> | undefined {
  const name = textOption(options, 'only-set');
  if (name === undefined) return undefined;
  return subjectsOfSet(subjects, name);
}

/** The order for the engine. @param asked what applies to each subject */
export async function openSet(
  invocation: CommandInvocation,
  { loaded, subjects, only }: LoadedSet,
  access: Parameters<typeof open>[2],
  asked: WhatToRun['assigned'] = {},
): Promise<OpenSet> {
  const opened = await open(invocation, loaded, access);
  const order: SetOrder = {
    pipeline: loaded.pipeline,
    subjects,
    only,
    assignmentOf: (subject) => ({ ...assignmentFor(opened.assignment, subject), ...asked }),
  };
  return { ...opened, order };
}
