import type { Command } from 'commander';
import { countOf, formatBytes } from '../../report/amounts.ts';
import { renderTable, safeText } from '../../report/table.ts';
import { addTargetOptions, openGateline, type TargetOptions } from '../options.ts';
import { screenOf, type AddAction } from '../print.ts';
import { showProgress } from '../progress.ts';
import { interruptOn, type ProcessContext } from '../process-context.ts';
import { runAnswer } from './run.ts';

/** `memory`: documents for agents. */
export function addMemoryCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const memory = addTargetOptions(program.command('memory')).description(
    'list the documents for agents in .gateline/memory/, and what agents learned',
  );
  addAction<TargetOptions>(memory, async (options) => {
    const view = await (await openGateline(context, options)).memory.list();
    const documents = renderTable(
      [
        { head: 'document', cell: ({ name }) => name, max: 64 },
        { head: 'size', cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
        { head: 'modified', cell: ({ modified }) => modified },
        {
          head: '',
          cell: ({ freshness }) => freshness && `${freshness.isStale ? 'stale' : 'fresh'}: ${freshness.reason}`,
        },
      ],
      view.documents,
      screenOf(context.out),
    );
    const learnings = view.learnings.map(({ gate, heading, text }) => safeText(`${gate}: ${heading}: ${text}`));
    const count = countOf(learnings.length, 'new learning');
    const more = learnings.length === 0 ? [] : [`${count} (\`gateline memory promote\` keeps them):`, ...learnings];
    return { json: view, text: [documents || 'There are no documents.', ...more].join('\n') };
  });

  const promote = addTargetOptions(
    memory.command('promote').argument('[gates...]', 'only what these learned; default: all'),
  ).description('add what agents learned to learned-patterns.md, without duplicates');
  addAction<TargetOptions>(promote, async (options, ...gates) => {
    const gateline = await openGateline(context, options);
    const added = await gateline.memory.promote(gates.flat());
    const lines = added.map(({ heading, text }) => safeText(`added ${heading}: ${text}`));
    return { json: { added }, text: lines.join('\n') || 'There is nothing new.' };
  });

  const refresh = addTargetOptions(memory.command('refresh'))
    .description('run the gates that make deep-dive.md, if it is stale')
    .option('--force', 'run them even if it is not');
  addAction<TargetOptions & { force?: boolean }>(refresh, async ({ force = false, ...options }) => {
    using progress = showProgress(context, options);
    using interruption = interruptOn(context);
    const gateline = await openGateline(context, options, progress.observe);
    const { freshness, outcome } = await gateline.memory.refresh(force, { signal: interruption.signal });
    progress.end();
    if (outcome === undefined) return { json: { freshness }, text: `deep-dive is fresh: ${freshness.reason}` };
    const { json, ...rest } = runAnswer(context, outcome);
    return { ...rest, json: { freshness, ...(json as object) } };
  });
}
