import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { GatelineError } from '../../errors.ts';
import { FORMATS } from '../../local/exchange/formats.ts';
import { importSkill } from '../../local/entities/uasp.ts';
import { countOf } from '../../report/amounts.ts';
import { safeLine, safeText } from '../../report/table.ts';
import {
  addDeciderOptions,
  addRequestOptions,
  addTargetOptions,
  openGateline,
  parseWholeNumber,
  type TargetOptions,
} from '../options.ts';
import type { AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';

/** A system without runs: only its entities and commands are imported and exported. */
const UASP = 'uasp';
const SYSTEMS = [...Object.keys(FORMATS), UASP].join(', ');

/** `import`, `export`: the files of other systems. */
export function addExchangeCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const imports = addDeciderOptions(
    addRequestOptions(
      program
        .command('import')
        .argument('<system>', SYSTEMS)
        .argument('[path]', 'its folder, or the file of a skill (uasp); default: its usual folder'),
    ),
    false,
  ).description('take over the outputs of another system: all or none');
  addAction<TargetOptions & { reason?: string; actor?: string }>(
    imports,
    async ({ reason, actor, ...options }, system, folder) => {
      if (system === UASP) return importAnswer(context, folder);
      const gateline = await openGateline(context, options);
      const imported = await gateline.import(system, folder, { reason, actor });
      const lines = [
        ...[...imported.gates, ...imported.documents].map((name) => `imported ${name}`),
        ...(imported.runs > 0 ? [`imported ${countOf(imported.runs, 'run')} into the history`] : []),
        ...imported.notes.map(safeText),
      ];
      return { json: imported, text: lines.join('\n') || 'There is nothing to import.' };
    },
  );

  const exports = addTargetOptions(program.command('export').argument('<system>', SYSTEMS))
    .description('write a run as the files of another system; existing files of others are set aside')
    .addOption(new Option('--run <n>', 'a run of the subject; default: the newest').argParser(parseWholeNumber(1)))
    .option('-o, --output <folder>', 'default: its usual folder')
    .option('-n, --dry-run', 'only show the files');
  addAction<TargetOptions & { run?: number; output?: string; dryRun?: boolean }>(
    exports,
    async ({ run, output, dryRun: isDry = false, ...options }, system) => {
      const gateline = await openGateline(context, options);
      const target = output === undefined ? undefined : resolve(context.workingDirectory, output);
      const files =
        system === UASP
          ? await gateline.entities.exportSkill({ target, isDry })
          : await gateline.export(system, { target, isDry, run });
      return { json: { files }, text: files.map((path) => `${isDry ? 'would write' : 'wrote'} ${path}`).join('\n') };
    },
  );
}

async function importAnswer(context: ProcessContext, path: string | undefined) {
  if (path === undefined)
    throw new GatelineError('usage', 'the skill is not named', {
      hint: '`gateline import uasp FILE` reads its YAML file.',
    });
  const imported = await importSkill(context.workingDirectory, path);
  const { file, keys, notes } = imported;
  const isPrinted = file === undefined && keys !== '';
  const keyLines = keys.trimEnd().split('\n');
  const lines = [
    ...(file === undefined ? [] : [`wrote ${file}`]),
    ...(isPrinted
      ? ['The definition stays as it is. Add to it:', '', ...keyLines.map((line) => safeLine(line)), '']
      : []),
    ...notes.map(safeText),
  ];
  return { json: imported, text: lines.join('\n') };
}
