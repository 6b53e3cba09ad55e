import { relative } from 'node:path';
import { applyFiles, type Applied } from '../../engine/apply.ts';
import type { Call } from '../../engine/call/call.ts';
import { refuseUnfinished } from '../../engine/snapshots/unfinished-rollback.ts';
import { lockWorkspace } from '../../local/local-ports.ts';
import { count, oneLine } from '../../report/text.ts';
import { listOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, openRun } from '../project/open.ts';
import { savedFolder } from '../project/saved-folder.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { deliverRun } from '../sets/deliver-run.ts';
import type { DeliveredRow } from '../sets/deliver-set.ts';
import { refuseDeliveryOptions, deliverOption } from '../sets/set-options.ts';
import type { CliWorld } from '../world.ts';

/** `gateline apply [RUN]`: writes what the gates of a run hand on into the user's folder; `--deliver`: elsewhere. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  refuseDeliveryOptions(options);
  const as = deliverOption(options);
  const loaded = await loadFor(invocation);
  await using _lock = await lockWorkspace(loaded.root, world);
  const opened = await openRun(invocation, loaded, { asked: positionals[0], where: 'RUN', readOnly: false });
  const { call } = opened;
  await refuseUnfinished(call.ports);
  const dryRun = options['dry-run'] === true;
  if (as !== undefined) {
    const { gates, row } = await deliverRun(invocation, opened, as);
    if (options['json']) printJson(world, applyJson(call, { gates, puts: [], open: [] }, dryRun, row));
    else say(world.out, `${oneLine(call.journal.state().subject)}: ${oneLine(row.reason)}`);
    return EXIT_CODES.ok;
  }
  const gates = listOption(options, 'gate');
  const applied = await applyTo(world, call, { ...(gates.length > 0 && { gates }), dryRun });
  if (options['json']) printJson(world, applyJson(call, applied, dryRun));
  else for (const line of appliedLines(applied, call, dryRun)) world.out.write(`${line}\n`);
  return exitCodeOfApplied(applied);
}

/** The exit code. A person must look at conflicts, and at requested gates that have nothing to apply yet. */
export function exitCodeOfApplied({ puts, open }: Applied): ExitCode {
  const isWhole = open.length === 0 && puts.every(({ action }) => action !== 'conflict');
  return isWhole ? EXIT_CODES.ok : EXIT_CODES.gateFailed;
}

/** Applies the files. Replaced files are saved in a new folder. */
export function applyTo(
  { now }: Pick<CliWorld, 'now'>,
  call: Call,
  options: { readonly gates?: readonly string[]; readonly dryRun: boolean },
): Promise<Applied> {
  return applyFiles(call, { saved: savedFolder({ now }, call.ports.workspace.root), ...options });
}

const DONE = { written: 'wrote', deleted: 'removed', unchanged: 'unchanged', conflict: 'conflict' } as const;
const WOULD = { ...DONE, written: 'would write', deleted: 'would remove' } as const;

/** The result, one line per path. */
export function appliedLines({ puts, gates, open, saved, first = [] }: Applied, call: Call, dryRun: boolean): string[] {
  const lines = open.map((key) => `${oneLine(key)} is not done: none of its files are applied.`);
  if (gates.length === 0) return [...lines, 'No gate is done: there is nothing to apply.'];
  if (puts.length === 0) return [...lines, 'The gates hand on no files: there is nothing to apply.'];
  lines.push(...putLines(puts, dryRun));
  if (saved !== undefined) lines.push(`What was replaced is kept in ${fromRoot(call, saved)}.`);
  if (first.length > 0) {
    const commands = first.map((run) => `\`gateline apply ${oneLine(run)}\``).join(', ');
    lines.push(
      `Files in conflict were not touched: they continue files of other subjects. Apply those first: ${commands}.`,
    );
  } else if (puts.some(({ action }) => action === 'conflict')) {
    lines.push(
      'Files in conflict were not touched. `gateline diff` shows what the gates changed. Restore the version that the run began with and run `gateline apply` again, or run again: gates that read these files then work on your version.',
    );
  }
  return lines;
}

/** The result for each path, one line per path; unchanged ones are counted. */
export function putLines(puts: Applied['puts'], dryRun: boolean): string[] {
  const words = dryRun ? WOULD : DONE;
  const changed = puts.filter(({ action }) => action !== 'unchanged');
  const lines = changed.map(
    ({ path, action, why }) => `${words[action]} ${oneLine(path)}${why === undefined ? '' : `: ${oneLine(why)}`}`,
  );
  const same = puts.length - changed.length;
  return same === 0 ? lines : [...lines, `${count(same, 'file')} already up to date.`];
}

/** `gateline-apply/1`; see docs/reference/json-output.md. */
function applyJson(call: Call, applied: Applied, dryRun: boolean, delivered: DeliveredRow | null = null): object {
  const { pipeline, subject, runNumber: run } = call.journal.state();
  const { gates, open } = applied;
  const files = applied.puts.map(({ path, action, why = null }) => ({ path, action, why }));
  const saved = applied.saved === undefined ? null : fromRoot(call, applied.saved);
  return { format: 'gateline-apply/1', pipeline, subject, run, dryRun, gates, open, files, saved, delivered };
}

function fromRoot({ ports }: Call, path: string): string {
  return relative(ports.workspace.root, path).replaceAll('\\', '/');
}
