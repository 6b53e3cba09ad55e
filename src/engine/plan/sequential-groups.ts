import type { GateGroup } from '../../pipeline/pipeline.ts';
import type { Call } from '../call/call.ts';

/**
 * The ids of groups whose gates run one at a time in this call: because of their own setting, because of the caller's
 * setting, or because the program that they need to run in parallel is not available, which is a notice.
 */
export async function sequentialGroups(call: Call, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { pipeline, sequential = false } = call.assignment;
  const one = async (group: GateGroup): Promise<string[]> =>
    sequential || group.mode === 'sequential' || (await isUnavailable(call, group, signal)) ? [group.id] : [];
  return new Set((await Promise.all(pipeline.groups.map(one))).flat());
}

async function isUnavailable(
  { ports, observe }: Call,
  { id, mode, available }: GateGroup,
  signal: AbortSignal,
): Promise<boolean> {
  if (mode !== 'auto' || available === undefined) return false;
  try {
    await ports.toolVersion(available);
    return false;
  } catch {
    if (signal.aborted) return true;
    const message = `group ${id}: its gates run one at a time: \`${available}\` failed`;
    await observe({ type: 'notice', message });
    return true;
  }
}
