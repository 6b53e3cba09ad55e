import { beginGate } from '../../engine/begin.ts';
import { CLI_VARIABLES } from '../../environment.ts';
import { unitsOf } from '../../run/unit.ts';
import { assignmentOf } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { projectOnce } from './project-once.ts';

/** `gateline begin GATE`: step 0B of the state guide for an agent that runs by itself. */
export async function execute({ world, options, positionals }: Invocation): Promise<ExitCode> {
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded);
  const base = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const assignment = { ...base, standIn: options['stand-in'] === true };
  const begun = await beginGate(ports, assignment, positionals[0]!, (event) => {
    if (event.type === 'notice') world.err.write(`note: ${event.message}\n`);
  });
  await projectOnce(world, loaded, ports, assignment, unitsOf(loaded.pipeline));
  const { planned } = begun;
  if (options['json']) {
    const run = begun.choice === 'run' ? { token: begun.token, deadline: begun.deadline, variables: begun.variables } : {};
    world.out.write(`${JSON.stringify({ format: 'gateline-begin/1', gate: planned.key, choice: begun.choice, reason: planned.reason, ...run }, null, 2)}\n`);
    return EXIT_CODES.ok;
  }
  if (begun.choice === 'done') {
    world.err.write(`${planned.key}: ${planned.choice}: ${planned.reason}. There is nothing to do.\n`);
    return EXIT_CODES.ok;
  }
  world.err.write(`${planned.key}: begun, until ${begun.deadline}: ${planned.reason}\n`);
  for (const [name, value] of Object.entries({ ...begun.variables, [CLI_VARIABLES.token]: begun.token })) {
    world.out.write(`export ${name}=${quoted(value)}\n`);
  }
  return EXIT_CODES.ok;
}

/** A POSIX shell's word for any text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
