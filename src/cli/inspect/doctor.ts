import type { Finding, Severity } from '../../local/doctor/finding.ts';
import { examine } from '../../local/doctor/examine.ts';
import { plannedRepairs, repair } from '../../local/doctor/repair.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { localPorts, lockWorkspace } from '../../local/local-ports.ts';
import { count, fit, oneLine, type Paint, type Tone } from '../../report/text.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { loadFor } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** Between two lines about progress, in milliseconds. */
const TELL_MS = 200;

const TONES: Readonly<Record<Severity, Tone>> = { error: 'bad', warning: 'warning', note: 'quiet' };

/** `gateline doctor`: what is wrong with the state of the workspace. Writes nothing without `--repair`. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const loaded = await loadFor(invocation, 'without-gates');
  const { findings, repairs } =
    options['repair'] === true
      ? await repaired(invocation, loaded)
      : { findings: await examined(invocation, loaded), repairs: [] };
  if (options['json']) printJson(world, { format: 'gateline-doctor/1', ...resultJson(findings), repairs });
  else printFindings(world, findings);
  return isSound(findings) ? EXIT_CODES.ok : EXIT_CODES.gateFailed;
}

async function examined(
  { world, closing }: CommandInvocation,
  loaded: LoadedPipeline,
  isLocked = false,
): Promise<Finding[]> {
  const { environment, now } = world;
  const ports = await localPorts({ place: loaded, environment, now, readOnly: true });
  closing.push(ports.workspace);
  return shown(world, (progress) => examine({ loaded, ports, environment, isLocked, progress }));
}

/** The repairs that were made, and the remaining findings. Does nothing while another command runs. */
async function repaired(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
): Promise<{ findings: Finding[]; repairs: readonly object[] }> {
  const { world, options } = invocation;
  const { environment, now, onDurable } = world;
  const durable = onDurable === undefined ? {} : { onDurable };
  await using _lock = await lockWorkspace(loaded.root, durable);
  const before = await examined(invocation, loaded, true);
  const planned = plannedRepairs(before);
  if (planned.length === 0) return { findings: before, repairs: [] };
  if (!options['json']) for (const { repair: one, path } of planned) say(world.out, `${one.action} ${oneLine(path)}`);
  const ports = await localPorts({ place: loaded, environment, now, ...durable });
  await repair({ loaded, ports, ...durable }, planned);
  const repairs = planned.map(({ repair: { action }, path }) => ({ action, path }));
  return { findings: await examined(invocation, loaded, true), repairs };
}

/** A note is what the next command settles: a workspace with nothing else is sound. */
function isSound(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity === 'note');
}

function resultJson(findings: readonly Finding[]): object {
  const all = findings.map(({ repair, ...rest }) => ({ ...rest, repair: repair?.action ?? null }));
  return { sound: isSound(findings), findings: all };
}

function printFindings(world: CliWorld, findings: readonly Finding[]): void {
  const paint = paintFor(world.out, world.environment);
  for (const one of findings) for (const line of linesOf(one, paint)) say(world.out, line);
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const number = findings.filter((one) => one.severity === severity).length;
    return number === 0 ? [] : [count(number, severity)];
  });
  const sound = isSound(findings) ? 'The state of this workspace is sound.' : 'Something is wrong.';
  say(world.out, `${sound}${counts.length === 0 ? '' : ` ${counts.join(', ')}.`}`);
}

function linesOf({ severity, code, path, message, advice }: Finding, paint: Paint): string[] {
  return [`${paint(TONES[severity], severity)} ${code} ${oneLine(path)}: ${oneLine(message)}`, `  ${oneLine(advice)}`];
}

/** Shows a person what is being read: a large workspace takes minutes. */
async function shown<T>(
  { err }: CliWorld,
  work: (progress: (what: string, done: number, of: number) => void) => Promise<T>,
): Promise<T> {
  if (!err.interactive) return work(() => undefined);
  let told = 0;
  try {
    return await work((what, done, of) => {
      if (performance.now() - told < TELL_MS) return;
      told = performance.now();
      err.write(`\r\u001B[K${fit(`checking ${what}: ${done} of ${of}`, err.columns - 1)}`);
    });
  } finally {
    if (told > 0) err.write('\r\u001B[K');
  }
}
