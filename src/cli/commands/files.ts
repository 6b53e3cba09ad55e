import { Option, type Command } from 'commander';
import { GatelineError } from '../../errors.ts';
import { countOf } from '../../report/amounts.ts';
import { safeText } from '../../report/table.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { addTargetOptions, addDeciderOptions, openGateline, type TargetOptions } from '../options.ts';
import type { AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';

interface RollbackOptions extends TargetOptions {
  readonly to?: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly reason?: string;
  readonly actor?: string;
}

/** `diff`, `apply`, `rollback`: changes of gates in the folder. */
export function addFileCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const diff = addTargetOptions(program.command('diff').argument('[gate]', 'only what this gate changed')).description(
    'show what the gates of the newest run changed',
  );
  addAction<TargetOptions>(diff, async (options, unit) => {
    const patch = await (await openGateline(context, options)).diff(unit);
    if (patch === '') context.err.write(`${unit ?? 'No gate of the newest run'} changed ${unit ? 'no' : 'a'} file.\n`);
    return { json: { patch }, text: forTerminal(patch) };
  });

  const apply = addTargetOptions(program.command('apply'))
    .description('bring the files of an isolated run into this folder')
    .option('-n, --dry-run', 'only show them');
  addAction<TargetOptions & { dryRun?: boolean }>(apply, async (options) => {
    const applied = await (await openGateline(context, options)).apply(options.dryRun);
    const text = [
      ...pathLines(options.dryRun ? 'would write' : 'wrote', applied.written),
      ...pathLines('your version stays', applied.left),
      ...applied.notes.map((note) => `note: ${safeText(note)}`),
    ];
    return { json: applied, text: text.join('\n') || 'Nothing to apply.', exit: applied.left.length > 0 ? 1 : 0 };
  });

  const rollback = addDeciderOptions(addTargetOptions(program.command('rollback')), false)
    .description('take back what gates of the newest run did, and pause it')
    .addOption(new Option('--to <gate>', 'the last gate whose work stays'))
    .addOption(new Option('--all', 'take back the whole run').conflicts('to'))
    .option('-n, --dry-run', 'only show what would be taken back');
  addAction<RollbackOptions>(rollback, async (options) => {
    const { to, all, dryRun, reason, actor } = options;
    if (to === undefined && !all)
      throw new GatelineError('usage', 'name the last gate whose work stays: --to GATE, or --all');
    const gateline = await openGateline(context, options);
    const result = await gateline.rollback(all ? 'all' : to!, { reason, actor }, dryRun);
    const lines = [
      result.units.length === 0
        ? `No gate of run ${result.run} has worked${to === undefined ? '' : ` after ${to}`}: nothing to take back.`
        : `${dryRun ? 'Would take back' : 'Took back'} the work of ${result.units.join(', ')}.`,
      ...pathLines(
        dryRun ? 'would restore' : 'restored',
        pathsOf(result.changes.filter(({ after }) => after !== null)),
      ),
      ...pathLines(dryRun ? 'would remove' : 'removed', pathsOf(result.changes.filter(({ after }) => after === null))),
      ...pathLines('your version stays', result.left),
      ...(result.restoresDatabase ? [`The database ${dryRun ? 'would be' : 'was'} restored.`] : []),
      ...(dryRun || result.units.length === 0
        ? []
        : [`The run is paused: \`${(await gateline.view()).next.command}\` continues it.`]),
    ];
    return { json: result, text: lines.join('\n') };
  });
}

function pathsOf(changes: readonly { readonly path: string }[]): string[] {
  return changes.map(({ path }) => path);
}

const MAX_LISTED = 20;

function pathLines(what: string, paths: readonly string[]): string[] {
  const rest = paths.length - MAX_LISTED;
  const lines = paths.slice(0, MAX_LISTED).map((path) => `${what}: ${safeText(path)}`);
  return rest > 0 ? [...lines, `${what}: ${countOf(rest, 'file')} more`] : lines;
}
