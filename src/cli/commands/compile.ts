import { lineDiff } from '../../compile/line-diff.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor } from '../project/open.ts';
import { workflowFile, writeWorkflow, type CompiledFile } from '../project/workflow-file.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';

/** `gateline compile`: writes the workflow of a pipeline, or checks that it is up to date. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const loaded = await loadFor(invocation);
  const file = await workflowFile(world, options, loaded);
  const isCurrent = file.existing === file.text;
  const isLook = options['check'] === true || options['dry-run'] === true;
  if (!isCurrent && !isLook) {
    if (file.isForeign && options['force'] !== true) {
      throw new GatelineError('WORKFLOW_FOREIGN', `${file.name} was not compiled from this definition`);
    }
    await writeWorkflow(loaded, file);
  }
  const status = isCurrent ? 'current' : isLook ? 'stale' : 'written';
  if (options['json']) printJson(world, compiledJson(file, status));
  else tell(invocation, file, status);
  return status === 'stale' && options['check'] === true ? EXIT_CODES.gateFailed : EXIT_CODES.ok;
}

type Status = 'current' | 'stale' | 'written';

function tell({ world, options }: CommandInvocation, file: CompiledFile, status: Status): void {
  for (const warning of file.warnings) say(world.err, `note: ${forTerminal(warning)}`);
  if (status === 'written' && file.ownCommit !== undefined)
    say(world.err, `note: it uses ${file.ownCommit.uses}, the commit of this package (${file.ownCommit.version}).`);
  const name = forTerminal(file.name);
  if (options['check'] !== true && options['dry-run'] === true) world.out.write(file.text);
  else if (status === 'current') say(world.out, `${name} is up to date.`);
  else if (status === 'written') say(world.out, `wrote ${name}`);
  else {
    world.out.write(forTerminal(lineDiff(file.existing ?? '', file.text)));
    const what = file.existing === undefined ? 'is missing' : 'is not what `gateline compile` would write';
    say(world.err, `${name} ${what}: run it, and commit the file.`);
  }
}

/** `gateline-compile/1`; see docs/reference/json-output.md. */
function compiledJson({ name, text, existing, warnings }: CompiledFile, status: Status): object {
  const diff = status === 'stale' ? lineDiff(existing ?? '', text) : '';
  return { format: 'gateline-compile/1', path: name.replaceAll('\\', '/'), status, diff, warnings };
}
