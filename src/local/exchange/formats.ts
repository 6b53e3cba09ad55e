import { agentFlow } from '../../formats/agent-flow/agent-flow.ts';
import { devLoop } from '../../formats/dev-loop/dev-loop.ts';
import type { Format } from '../../formats/format.ts';
import { nexus } from '../../formats/nexus/nexus.ts';
import { stateGuide } from '../../formats/state-guide/state-guide.ts';

/** The systems whose files Gateline writes and reads. */
export const FORMATS: Readonly<Record<string, Format>> = {
  'state-guide': stateGuide,
  'agent-flow': agentFlow,
  'dev-loop': devLoop,
  nexus,
};
