import { Option, type Command } from 'commander';
import { relative, resolve } from 'node:path';
import { EXIT_CODES } from '../../errors.ts';
import { initProject, TEMPLATES } from '../../local/project/init.ts';
import { checkContracts, loadDefinition } from '../../local/project/load-definition.ts';
import { problemText } from '../../pipeline/problem.ts';
import { countOf } from '../../report/amounts.ts';
import { addFileOption, openGateline, type TargetOptions } from '../options.ts';
import type { AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';

/** `init`, `validate`, `compile`. */
export function addProjectCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const init = program
    .command('init')
    .description('write a first pipeline into this folder; never overwrites')
    .addOption(new Option('--template <name>', 'what to begin with').choices(TEMPLATES).default('default'))
    .option('-n, --dry-run', 'only show the files');
  addAction<{ template: string; dryRun?: boolean }>(init, async ({ template, dryRun = false }) => {
    const { files, left } = await initProject(context.workingDirectory, template, dryRun);
    const lines = [
      ...files.map((path) => `${dryRun ? 'would write' : 'wrote'} ${path}`),
      ...left.map((path) => `${path} is there already: left as it is`),
      ...(dryRun ? [] : ['', 'Next: `gateline plan` shows what would run, `gateline run` runs it.']),
    ];
    return { json: { template, files, left }, text: lines.join('\n') };
  });

  const validate = addFileOption(program.command('validate')).description(
    'check the definition, its schemas and its contracts',
  );
  addAction<TargetOptions>(validate, async ({ file }) => {
    const definition = await loadDefinition(context.workingDirectory, file);
    await checkContracts(definition);
    const warnings = definition.warnings.map(problemText);
    const summary = `${definition.file}: ${countOf(definition.pipeline.gates.length, 'gate')}, no errors`;
    return {
      json: {
        file: definition.file,
        gates: definition.pipeline.gates.map(({ id }) => id),
        warnings: definition.warnings,
      },
      text: [...warnings, summary].join('\n'),
    };
  });

  const compile = addFileOption(program.command('compile'))
    .description('write the GitHub workflow of the pipeline')
    .option('-o, --output <path>', 'the workflow; default: .github/workflows/<pipeline>.yml of the repository')
    .option('--check', 'write nothing; exit 1 with the difference if the workflow is not up to date');
  addAction<CompileOptions>(compile, async (options) => {
    const { check = false, output } = options;
    const gateline = await openGateline(context, options);
    const path = output === undefined ? undefined : resolve(context.workingDirectory, output);
    const compiled = await gateline.compile(path, check);
    const file = relative(context.workingDirectory, compiled.path).replaceAll('\\', '/');
    const text = {
      current: `${file} is up to date`,
      written: `wrote ${file}`,
      stale: `${compiled.diff}${file} is not up to date: run \`gateline compile\`, and commit the file`,
    }[compiled.status];
    return { json: { ...compiled, path: file }, text, exit: compiled.status === 'stale' ? EXIT_CODES.failed : 0 };
  });
}

interface CompileOptions extends TargetOptions {
  readonly output?: string;
  readonly check?: boolean;
}
