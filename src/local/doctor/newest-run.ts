import { stateNow } from '../../engine/entities/gate-entities.ts';
import { openCall } from '../../engine/call/call.ts';
import { noteChanges } from '../../engine/plan/since-approval.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { RunState } from '../../run/state/run-state.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import type { ProjectorInput } from '../projector.ts';

/** The newest run of a subject, and what its files are made from. Run number 0: there is none. */
export async function newestRun(
  { loaded, ports }: { readonly loaded: LoadedPipeline; readonly ports: EnginePorts },
  subject: string,
): Promise<{ readonly state: RunState; readonly shown: Omit<ProjectorInput, 'onDurable'> }> {
  const { pipeline } = loaded;
  const { metadata, groups } = pipeline;
  const about = { pipeline, subject, metadata, input: null };
  const call = await openCall(ports, about, () => undefined, { runNumber: 0, shows: true });
  await noteChanges(call);
  const redact = call.redactor.redactText;
  return {
    state: await stateNow(call),
    shown: { loaded, graph: call.graph, groups, metadata, store: ports.store, redact },
  };
}
