import { contractErrors, createContracts } from '../../engine/call/contracts.ts';
import type { GatelineError } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import { formatProblem, inOrder, type Problem } from '../../pipeline/problem.ts';
import { count } from '../../report/text.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { readText } from '../../workspace/files/read-text.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor } from '../project/open.ts';
import { printJson } from '../output/print-json.ts';
import { errorLines, problemJson } from '../output/report-error.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';

/** `gateline validate`: reports all errors in the definition and its contracts at once. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const readsOf = (reads: readonly Problem[] = []): readonly Problem[] =>
    options['subject'] === undefined ? reads : [];
  let found: ValidationResult;
  try {
    const loaded = await loadFor(invocation, 'without-gates');
    // Schemas and checks are compiled as in a run.
    const contracts = createContracts({ readText: (path) => readText(loaded.root, path) });
    const errors = await contractErrors(contracts, loaded.pipeline.gates);
    const reads = readsOf(loaded.pipeline.subjectReads);
    found = { loaded, problems: inOrder([...loaded.warnings, ...reads]), errors };
  } catch (error) {
    if (!(error instanceof PipelineInvalidError)) throw error;
    const problems = inOrder([...error.problems, ...readsOf(error.subjectReads)]);
    found = { loaded: undefined, problems, errors: error.contracts };
  }
  if (options['json']) printJson(world, validationJson(found));
  else tell(world, found);
  return isSound(found) ? EXIT_CODES.ok : EXIT_CODES.usage;
}

interface ValidationResult {
  readonly loaded: LoadedPipeline | undefined;
  readonly problems: readonly Problem[];
  readonly errors: readonly GatelineError[];
}

function isSound({ loaded, problems, errors }: ValidationResult): boolean {
  return loaded !== undefined && errors.length === 0 && problems.every(({ severity }) => severity === 'warning');
}

function tell(world: CliWorld, found: ValidationResult): void {
  const { loaded, problems, errors } = found;
  for (const problem of problems) say(world.err, forTerminal(formatProblem(problem)));
  for (const error of errors) for (const line of errorLines(error)) say(world.err, line);
  const wrong = problems.filter((problem) => problem.severity === 'error').length + errors.length;
  if (loaded === undefined || wrong > 0) {
    world.err.write(`${count(wrong, 'problem')}.\n`);
    return;
  }
  const { id, gates, resources } = loaded.pipeline;
  if (gates.length === 0) {
    const commands = count(resources?.commands.length ?? 0, 'command');
    return say(world.out, `${id} is valid: ${commands}, no gates. \`gateline do COMMAND\` runs one.`);
  }
  const legs = gates.reduce((sum, gate) => sum + gate.legs.length, 0);
  const units = legs === gates.length ? '' : `, ${count(legs, 'leg')} with those of matrix gates`;
  say(world.out, `${id} is valid: ${count(gates.length, 'gate')}${units}. \`gateline plan\` shows what would run.`);
}

/** `gateline-validate/1`; see docs/reference/json-output.md. */
function validationJson(found: ValidationResult): object {
  const problems = [...found.problems, ...found.errors].map(problemJson);
  return { format: 'gateline-validate/1', valid: isSound(found), problems };
}
