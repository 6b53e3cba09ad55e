import { planPipeline } from '../../engine/plan/plan.ts';
import type { Decider, Order } from '../../engine/ports.ts';
import { runPipeline, type RunResult } from '../../engine/run.ts';
import type { RunView } from '../../report/view.ts';
import type { UnitPlan } from '../../run/events.ts';
import { leaveClone } from './clone-run.ts';
import type { Folder } from '../folder/folder.ts';
import { runIsolated, warnAboutUnapplied } from './isolated.ts';
import { limitOrder, type Limits } from './order.ts';
import { planningPorts, prepareRun, reportUncommittedChanges, type Preparation } from './prepare-run.ts';
import { withStandIns } from '../exchange/system-files.ts';
import { mirroredPorts } from '../exchange/mirrored-ports.ts';
import { endCall } from './end-call.ts';

/** How a pipeline is run in a folder. */
export interface RunOptions extends Limits, Preparation {
  /** Run in a clone of the folder; `apply` brings its files back. Default: false. */
  readonly isolated?: boolean;
  /** Report the Markdown checkpoint of each gate that ends. Default: `checkpoints` of the definition. */
  readonly checkpoints?: boolean;
  readonly by?: Partial<Decider>;
  readonly signal?: AbortSignal;
}

/** How a call ended, and the view of its run. */
export interface RunOutcome {
  readonly result: Pick<RunResult, 'status' | 'run' | 'ran'>;
  readonly view: RunView;
}

/** What {@link runFolder} would do with each gate, and why. @param by who makes the decisions that the options ask for */
export async function planFolder(
  folder: Folder,
  order: Order,
  options: RunOptions,
  by?: Decider,
): Promise<readonly UnitPlan[]> {
  const limited = await withStandIns(folder, limitOrder(order, options));
  const ports = by ? await planningPorts(folder.ports, order, by, options) : folder.ports;
  return planPipeline(ports, limited, await folder.isWorkedOn());
}

/** Runs a pipeline in a folder or its clone, or continues its run. */
export async function runFolder(folder: Folder, order: Order, options: RunOptions, by?: Decider): Promise<RunOutcome> {
  const { isolated, checkpoints, signal = new AbortController().signal } = options;
  const limited = await withStandIns(folder, limitOrder(order, options));
  if (by) await prepareRun(folder.ports, order, by, options);
  if (isolated) await warnAboutUnapplied(folder, order);
  else {
    await reportUncommittedChanges(folder, order);
    await leaveClone(folder, order);
  }
  const { status, run, ran } = isolated
    ? await runIsolated(folder, limited, signal, checkpoints)
    : await runPipeline(mirroredPorts(folder, order, checkpoints), limited, signal);
  return { result: { status, run, ran }, view: await endCall(folder, order, status !== 'nothing') };
}
