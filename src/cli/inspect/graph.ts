import { stateNow } from '../../engine/entities/gate-entities.ts';
import { criticalPath } from '../../report/graph/critical-path.ts';
import { graphSvg } from '../../report/graph/graph-svg.ts';
import { graphTable } from '../../report/terminal/graph-table.ts';
import { mermaidGraph } from '../../report/graph/mermaid.ts';
import { stepsOf } from '../../report/graph/steps.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { openToLook } from '../project/open.ts';

/** Options that choose what is printed. */
const FORMS = ['text', 'mermaid', 'svg', 'names', 'json'] as const;

/** `gateline graph`: the gates, what each needs, and the critical path. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const [form = 'text', ...others] = FORMS.filter((name) => options[name] === true);
  if (others.length > 0)
    throw new GatelineError('OPTION_CONFLICT', `--${form} and --${others.join(', --')} are different forms; give one`);
  const { call, loaded } = await openToLook(invocation);
  const state = await stateNow(call);
  const { pipeline } = loaded;
  const path = criticalPath(pipeline, state);
  if (form === 'names') world.out.write(pipeline.gates.map(({ id }) => `${id}\n`).join(''));
  else if (form === 'mermaid') world.out.write(`${mermaidGraph(pipeline, state, path.gates)}\n`);
  else if (form === 'svg') world.out.write(graphSvg(pipeline, state, path));
  else if (form === 'text') world.out.write(graphTable(pipeline, state, path, world.out.columns));
  else {
    const gates = stepsOf(pipeline.gates).flatMap((step, index) =>
      step.map(({ id, needs }) => ({ gate: id, step: index + 1, needs })),
    );
    const critical = { gates: path.gates, durationMs: path.milliseconds ?? null };
    printJson(world, { format: 'gateline-graph/1', pipeline: pipeline.id, gates, criticalPath: critical });
  }
  return EXIT_CODES.ok;
}
