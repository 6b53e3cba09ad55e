import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { oneLine } from '../../report/text.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { say } from '../output/say.ts';
import { attemptNumbered } from '../../local/report/attempt-numbered.ts';
import { attemptGiven } from '../project/attempt-given.ts';
import { LOOK_MS, mayBeRetried, printedSoFar, readAgain, type LiveAttempt } from '../project/follow-run.ts';
import { openToLook, type OpenedRun } from '../project/open.ts';
import { textOfPart } from '../project/show-parts.ts';
import type { CliWorld } from '../world.ts';

/** Longest time between the end of an attempt and the next one of the same call: a busy machine is slow. */
const LONGEST_PAUSE_MS = 10_000;

/** One attempt, as its records are now. */
interface Followed extends LiveAttempt {
  readonly number: number;
  /** Whether the gate has a later attempt. */
  readonly hasNext: boolean;
  readonly isRunning: boolean;
}

/** `gateline logs GATE`: what its agent printed, or prints. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const asked = attemptGiven(textOption(options, 'attempt'));
  const isFollowing = options['follow'] === true;
  const opened = await openToLook(invocation);
  const { key } = unitNamed(opened.graph, positionals[0]!);
  let attempt = lookAt(isFollowing ? await whenBegun(world, opened, key) : opened.call, key, asked);
  if (!isFollowing) {
    await printAll(world, attempt);
    return EXIT_CODES.ok;
  }
  for (;;) {
    attempt = await follow(world, opened, attempt);
    if (asked === undefined) attempt = await onceRetried(opened, attempt);
    if (asked !== undefined || !attempt.hasNext) return EXIT_CODES.ok;
    attempt = lookAt(attempt.call, key, attempt.number + 1);
    say(world.err, `${oneLine(key)}: attempt ${attempt.number}`);
  }
}

/** The run once the gate has an attempt, or nothing works that it could wait for. */
async function whenBegun(world: CliWorld, opened: OpenedRun, key: UnitKey): Promise<Call> {
  for (let { call } = opened, isTold = false; ; call = await readAgain(opened)) {
    const { units } = call.journal.state();
    const isWorking = [...units.values()].some(({ status }) => status === 'running');
    if (units.get(key)!.numbered.length > 0 || !isWorking) return call;
    if (!isTold) say(world.err, `waiting for ${oneLine(key)} to begin`);
    isTold = true;
    await sleep(LOOK_MS);
  }
}

/** @throws GatelineError `PART_ABSENT` if the gate was not begun */
function lookAt(call: Call, key: UnitKey, asked: number | undefined): Followed {
  const unit = call.journal.state().units.get(key)!;
  const number = asked ?? unit.numbered.length;
  if (number === 0) {
    throw new GatelineError('PART_ABSENT', `gate ${key} has no logs in this run: ${unit.reason}`, {
      hint: `\`gateline show ${key}\` shows where an output came from that was reused.`,
    });
  }
  const { claim, ended } = attemptNumbered(call, unit, number);
  const isRunning = unit.status === 'running' && number === unit.numbered.length;
  return { call, key, number, claim, ended, hasNext: number < unit.numbered.length, isRunning };
}

/** The stored log of an attempt that has ended; for a running attempt, the output of its agent so far. */
async function printAll(world: CliWorld, attempt: Followed): Promise<void> {
  const { call, key, ended } = attempt;
  if (ended === undefined) print(world, (await printedSoFar(attempt)).toString());
  for (const stream of ['stdout', 'stderr'] as const) {
    const digest = ended?.logs[stream]?.digest;
    if (digest !== undefined) print(world, await textOfPart(call, key, stream, digest));
  }
}

/** Prints lines as they arrive, until the attempt has ended. */
async function follow(world: CliWorld, opened: OpenedRun, first: Followed): Promise<Followed> {
  if (first.ended !== undefined) {
    await printAll(world, first);
    return first;
  }
  let printed = 0;
  for (let attempt = first; ; attempt = lookAt(await readAgain(opened), first.key, first.number)) {
    // Read after its records: what it prints before it ends is in the file by then.
    const bytes = await printedSoFar(attempt);
    const whole = attempt.isRunning ? bytes.lastIndexOf('\n') + 1 : bytes.length;
    if (whole > printed) print(world, bytes.subarray(printed, whole).toString());
    printed = Math.max(printed, whole);
    if (!attempt.isRunning) return attempt;
    await sleep(LOOK_MS);
  }
}

/** The attempt once its call has begun the next one: a retry begins right after an attempt has failed. */
async function onceRetried(opened: OpenedRun, first: Followed): Promise<Followed> {
  let attempt = first;
  const until = performance.now() + LONGEST_PAUSE_MS;
  while (!attempt.hasNext && performance.now() < until && (await mayBeRetried(attempt))) {
    await sleep(LOOK_MS);
    attempt = lookAt(await readAgain(opened), attempt.key, attempt.number);
  }
  return attempt;
}

function print(world: CliWorld, text: string): void {
  world.out.write(world.out.interactive ? forTerminal(text) : text);
}
