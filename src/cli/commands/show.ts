import type { Call } from '../../engine/call/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { attemptView, scoreOf } from '../../report/json/status-json.ts';
import { statusTable } from '../../report/terminal/status-table.ts';
import { oneLine } from '../../report/text.ts';
import { legName } from '../../report/wording.ts';
import { verdictText } from '../../report/terminal/verdict-text.ts';
import { comparePositions, unitOf, type GatelineRecord } from '../../run/records/record.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { attemptGiven } from '../project/attempt-given.ts';
import { openToLook } from '../project/open.ts';
import { pointers } from '../output/advice.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import { contentOf, PARTS, TEXT_PARTS, type ShownPart } from '../../local/report/parts.ts';
import { shownOf, textOfPart, whyAbsent, type Shown } from '../project/show-parts.ts';

/** `gateline show GATE [PART]`: one stored part of a gate. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const [key, name = 'verdict'] = positionals as [string, string?];
  const part = partNamed(name);
  const { call, loaded } = await openToLook(invocation);
  const units = call.journal.state().units;
  const json = options['json'] === true;
  const number = attemptGiven(textOption(options, 'attempt'));
  const gate = loaded.pipeline.gates.find(({ id }) => id === key);
  if (gate !== undefined && part === 'verdict' && !units.has(key) && number === undefined) {
    showLegs(world, call, gate, json);
    return EXIT_CODES.ok;
  }
  const unit = units.get(unitNamed(call.graph, key).key)!;
  const shown = shownOf(call, unit, number);
  const { contract } = loaded.pipeline.gates.find(({ id }) => id === unit.gate) ?? {};
  if (part === 'verdict')
    showVerdict(world, shown, { json, contract, about: pointers(options, ['subject', 'run', 'attempt']) });
  else if (part === 'record') printJson(world, recordsOf(call, shown));
  else await showContent(world, call, shown, part, json);
  return EXIT_CODES.ok;
}

/** Parts that have another name, or a command of their own. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ...['log', 'logs'].map((name) => [name, "`gateline logs GATE` prints the agent's output."] as const),
  ...['diff', 'files'].map((name) => [name, '`gateline diff GATE` shows what the gate changed.'] as const),
]);

function partNamed(name: string): ShownPart {
  const found = PARTS.find((part) => part === name);
  if (found !== undefined) return found;
  const meant = didYouMean(name, PARTS);
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('PART_UNKNOWN', `there is no part ${name} of a gate${suggestion}`, {
    hint: ELSEWHERE.get(name) ?? `Parts: ${PARTS.join(', ')}.`,
  });
}

/** Shows the status of each leg of a matrix gate. */
function showLegs(world: CliWorld, call: Call, gate: Gate, json: boolean): void {
  const state = call.journal.state();
  const legs = [...state.units.values()].filter((unit) => unit.gate === gate.id);
  if (json) {
    printJson(world, {
      format: 'gateline-legs/1',
      gate: gate.id,
      legs: legs.map((leg) => verdictJson(shownOf(call, leg))),
    });
    return;
  }
  const paint = paintFor(world.out, world.environment);
  world.out.write(statusTable(state, { gates: [gate], groups: [] }, { width: world.out.columns, paint, wrap: true }));
  for (const { key, leg } of legs) {
    const name = legName({ id: leg }, gate.legs);
    world.out.write(`  gateline show ${oneLine(key)}${name === leg ? '' : `  (${name})`}\n`);
  }
}

/** `gateline-verdict/1`; see docs/reference/json-output.md. */
function verdictJson(shown: Shown): object {
  const { verdict } = shown.ended ?? {};
  const judged =
    verdict === undefined
      ? null
      : { ...verdict, score: scoreOf(verdict), result: verdict.result ?? null, message: verdict.message ?? null };
  const { key: gate, status, reason } = shown.unit;
  const at = shown.ended ?? shown.claim;
  const attempt = at === undefined ? null : attemptView(at);
  return { format: 'gateline-verdict/1', gate, status, reason, attempt, verdict: judged };
}

function showVerdict(
  world: CliWorld,
  shown: Shown,
  {
    json,
    contract,
    about,
  }: { readonly json: boolean; readonly contract: Gate['contract'] | undefined; readonly about: string },
): void {
  if (json) {
    printJson(world, verdictJson(shown));
    return;
  }
  const paint = paintFor(world.out, world.environment);
  const { unit, ended, claim, number } = shown;
  const { key: gate, status, reason } = unit;
  if (number === undefined) {
    if (ended === undefined || status !== ended.verdict.status || unit.reused || ended.how === 'adopted')
      say(world.out, `${oneLine(gate)}: ${status}: ${oneLine(reason)}`);
  } else if (ended === undefined) say(world.out, `${oneLine(gate)}, attempt ${number}: ${whyAbsent(shown, 'verdict')}`);
  if (ended === undefined) return;
  say(world.out, verdictText(ended, { paint, contract, numbered: unit.numbered, uses: claim?.entities }).trimEnd());
  const kept = (['output', 'stdout', 'stderr'] as const).filter((part) => contentOf(shown, part) !== undefined);
  for (const part of kept) world.out.write(`  ${part}: gateline show ${oneLine(gate)} ${part}${about}\n`);
}

function recordsOf(call: Call, { unit, claim, ended, number }: Shown): GatelineRecord[] {
  const { runNumber } = call.journal.state();
  const at = claim ?? ended;
  return call.journal
    .archive()
    .records.filter((record) => unitOf(record) === unit.key && record.runNumber === runNumber)
    .filter((record) => number === undefined || (at !== undefined && comparePositions(record, at) === 0));
}

async function showContent(
  world: CliWorld,
  call: Call,
  shown: Shown,
  part: Exclude<ShownPart, 'verdict' | 'record'>,
  json: boolean,
): Promise<void> {
  const { unit, number } = shown;
  const digest = contentOf(shown, part);
  if (digest === undefined) {
    const which = number === undefined ? '' : `attempt ${number} of `;
    throw new GatelineError('PART_ABSENT', `${which}gate ${unit.key} has no ${part}: ${whyAbsent(shown, part)}`, {
      hint: `\`gateline show ${unit.key}\` shows how it ended.`,
    });
  }
  const text = await textOfPart(call, unit.key, part, digest);
  if (!TEXT_PARTS.has(part)) printJson(world, JSON.parse(text));
  else if (json) printJson(world, { format: 'gateline-text/1', gate: unit.key, part, text });
  else world.out.write(world.out.interactive ? forTerminal(text) : text);
}
