import { createContracts } from '../../engine/contracts.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Environment } from '../../environment.ts';
import { formatProblem } from '../../pipeline/parse-pipeline.ts';
import { openWorkspace } from '../../workspace/open-workspace.ts';
import { textOption, type Invocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline, PipelineInvalidError, type LoadedPipeline } from '../load-pipeline.ts';

/** `gateline validate`: everything that is wrong with the definition and its contracts, at once. */
export async function execute({ world, options }: Invocation): Promise<ExitCode> {
  const json = options['json'] === true;
  let loaded: LoadedPipeline;
  try {
    loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  } catch (error) {
    if (!(error instanceof PipelineInvalidError)) throw error;
    if (json) world.out.write(`${JSON.stringify({ format: 'gateline-validate/1', valid: false, problems: error.problems }, null, 2)}\n`);
    else world.err.write(`${error.problems.map(formatProblem).join('\n')}\n${counted(error.problems.length)}\n`);
    return EXIT_CODES.usage;
  }
  const errors = await contractErrors(loaded, world.environment);
  const problems = [...loaded.warnings, ...errors.map(({ code, message, hint }) => ({ severity: 'error' as const, code, message, hint }))];
  if (json) {
    world.out.write(`${JSON.stringify({ format: 'gateline-validate/1', valid: errors.length === 0, problems }, null, 2)}\n`);
  } else {
    for (const warning of loaded.warnings) world.err.write(`${formatProblem(warning)}\n`);
    for (const error of errors) world.err.write(`${error.code} ${error.message}${error.hint === undefined ? '' : `; ${error.hint}`}\n`);
    const { pipeline } = loaded;
    if (errors.length === 0) world.out.write(`${pipeline.id} is sound: ${pipeline.gates.length} gates, ${pipeline.gates.reduce((sum, gate) => sum + gate.legs.length, 0)} units of work.\n`);
    else world.err.write(`${counted(errors.length)}\n`);
  }
  return errors.length === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
}

/** Schemas and checks, compiled as a run would compile them. */
async function contractErrors(loaded: LoadedPipeline, environment: Environment): Promise<GatelineError[]> {
  const contracts = createContracts(await openWorkspace(loaded.root, { environment }));
  const errors: GatelineError[] = [];
  for (const gate of loaded.pipeline.gates) {
    try {
      await contracts.compile(gate);
    } catch (error) {
      if (!(error instanceof GatelineError)) throw error;
      errors.push(error);
    }
  }
  return errors;
}

function counted(count: number): string {
  return count === 1 ? '1 problem.' : `${count} problems.`;
}
