import { openCall, type Assignment } from '../../engine/call.ts';
import type { EnginePorts } from '../../engine/ports.ts';
import type { UnitGraph } from '../../run/unit.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';
import { createProjector } from '../projector.ts';
import type { CliWorld } from '../world.ts';

/** Brings the files that people read up to date after a command that wrote records but drove nothing. */
export async function projectOnce(world: CliWorld, loaded: LoadedPipeline, ports: EnginePorts, assignment: Assignment, graph: UnitGraph): Promise<void> {
  const call = await openCall(ports, assignment, () => undefined, { runNumber: 0 });
  const { store } = ports;
  const projector = await createProjector(world, { loaded, graph, metadata: assignment.metadata, store, redact: call.redactor.redactText });
  for (const notice of await projector.show(call.journal.state())) world.err.write(`note: ${notice}\n`);
}
