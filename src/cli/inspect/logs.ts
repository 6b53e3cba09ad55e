import { setTimeout as sleep } from 'node:timers/promises';
import { LIVE_LOG } from '../../agent/attempt-files.ts';
import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { oneLine } from '../../report/text.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import type { EndedRecord, StartedRecord } from '../../run/records/record.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { say } from '../output/say.ts';
import { attemptGiven, attemptNumbered } from '../project/attempt-numbered.ts';
import { openToLook } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** More than the file ever has. */
const LARGEST = 64 * 1_024 ** 2;
/** Between two looks at the file of an agent that works. */
const LOOK_MS = 200;

/** One attempt, as its records are now. */
interface Followed {
  readonly call: Call;
  readonly key: string;
  readonly number: number;
  readonly claim: StartedRecord | undefined;
  readonly ended: EndedRecord | undefined;
  /** Whether the gate has a later attempt. */
  readonly hasNext: boolean;
  readonly isRunning: boolean;
}

/** `gateline logs GATE`: what its agent printed, or prints. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const asked = attemptGiven(textOption(options, 'attempt'));
  const isFollowing = options['follow'] === true;
  if (isFollowing) await untilBegun(invocation);
  let attempt = await look(invocation, asked);
  if (!isFollowing) {
    await printAll(world, attempt);
    return EXIT_CODES.ok;
  }
  for (;;) {
    attempt = await follow(invocation, attempt);
    if (asked !== undefined || !attempt.hasNext) return EXIT_CODES.ok;
    attempt = await look(invocation, attempt.number + 1);
    say(world.err, `${oneLine(attempt.key)}: attempt ${attempt.number}`);
  }
}

/** Waits for the gate's first attempt while gates before it work. */
async function untilBegun(invocation: CommandInvocation): Promise<void> {
  for (let isTold = false; ; await sleep(LOOK_MS)) {
    const { call } = await openToLook(invocation);
    const { units } = call.journal.state();
    const { key } = unitNamed(call.graph, invocation.positionals[0]!);
    const isWorking = [...units.values()].some(({ status }) => status === 'running');
    if (units.get(key)!.numbered.length > 0 || !isWorking) return;
    if (!isTold) say(invocation.world.err, `waiting for ${oneLine(key)} to begin`);
    isTold = true;
  }
}

/** @throws GatelineError `PART_ABSENT` if the gate was not begun */
async function look(invocation: CommandInvocation, asked: number | undefined): Promise<Followed> {
  const { call } = await openToLook(invocation);
  const { key } = unitNamed(call.graph, invocation.positionals[0]!);
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

/** What is stored of an attempt that ended; of another one, what its agent printed until now. */
async function printAll(world: CliWorld, attempt: Followed): Promise<void> {
  const { call, ended } = attempt;
  if (ended === undefined) print(world, (await printedSoFar(attempt)).toString());
  for (const stream of ['stdout', 'stderr'] as const) {
    const digest = ended?.logs[stream]?.digest;
    if (digest === undefined) continue;
    const read = await call.ports.store.get(digest);
    if (read.state !== 'present') {
      const why = read.state === 'unknown' ? read.problem.message : 'it is missing from the store';
      throw new GatelineError('CONTENT_MISSING', `the ${stream} of gate ${attempt.key} cannot be read: ${why}`);
    }
    print(world, new TextDecoder().decode(read.value));
  }
}

/** Prints lines as they come, until the attempt has ended. @returns it as it is then */
async function follow(invocation: CommandInvocation, first: Followed): Promise<Followed> {
  if (first.ended !== undefined) {
    await printAll(invocation.world, first);
    return first;
  }
  let printed = 0;
  for (let attempt = first; ; attempt = await look(invocation, first.number)) {
    // Read after its records: what it prints before it ends is in the file by then.
    const bytes = await printedSoFar(attempt);
    const whole = attempt.isRunning ? bytes.lastIndexOf('\n') + 1 : bytes.length;
    if (whole > printed) print(invocation.world, bytes.subarray(printed, whole).toString());
    printed = Math.max(printed, whole);
    if (!attempt.isRunning) return attempt;
    await sleep(LOOK_MS);
  }
}

async function printedSoFar({ call, key, claim }: Followed): Promise<Buffer> {
  const directory = claim && (await call.ports.attempts.open(claim));
  const file = await directory?.read(LIVE_LOG, LARGEST);
  if (file?.state === 'present') return Buffer.from(file.bytes);
  if (file === undefined || file.state === 'absent') return Buffer.alloc(0);
  const why = file.state === 'refused' ? file.why : `it has ${file.size} bytes`;
  throw new GatelineError('CONTENT_MISSING', `the output of gate ${key} cannot be read: ${why}`);
}

function print(world: CliWorld, text: string): void {
  world.out.write(world.out.interactive ? forTerminal(text) : text);
}
