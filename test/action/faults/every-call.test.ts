import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayRegenerate } from '../../report/golden.ts';
import type { Fault } from '../../support/github/faults.ts';
import { places } from '../../support/runner/places.ts';
import { callsOfGreenGate, FAULTS, type GateCall } from './calls.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { twoGates, type TwoGates } from './two-gates.ts';

const GOLDEN = join(import.meta.dirname, 'golden/outcomes.md');

/** Most of a case is waiting. */
const AT_ONCE = 5;

/** 30 minutes: a slow machine takes ten, a quiet one three. */
const LONG = 30 * 60_000;

interface Case {
  readonly call: GateCall;
  readonly fault: string;
  readonly outcome: Outcome;
}

/** Outages: the call, and all of its kind after it in the attempt. */
const OUTAGES: Readonly<Record<string, Fault>> = { '500': FAULTS['500']!, 'no answer': FAULTS['no answer']! };

let gates: TwoGates;
let calls: readonly GateCall[];
let once: readonly Case[];
let outages: readonly Case[];

beforeAll(async () => {
  gates = await twoGates();
  calls = await callsOfGreenGate(gates);
  const free = places(AT_ONCE);
  const runCase = async (call: GateCall, fault: string, rule: object): Promise<Case> => {
    using _place = await free.take();
    const name = `${call.step} ${call.label} ${call.nthOfKind} ${fault}${'times' in rule ? ' on' : ''}`;
    return { call, fault, outcome: await outcomeOf(gates, name, [{ ...call.rule, ...rule } as never]) };
  };
  const all = (
    of: readonly GateCall[],
    faults: Readonly<Record<string, Fault>>,
    rule: (call: GateCall) => object,
  ): Promise<Case[]> =>
    Promise.all(
      of.flatMap((call) =>
        Object.entries(faults).map(([name, fault]) => runCase(call, name, { ...rule(call), fault })),
      ),
    );
  [once, outages] = await Promise.all([
    all(calls, FAULTS, () => ({})),
    all(firstOfKinds(calls), OUTAGES, (call) => ({ name: /^/, nth: call.nthOfKind, times: Infinity })),
  ]);
}, LONG);
afterAll(() => gates[Symbol.asyncDispose]());

/** Of each operation the first in `begin` and the first in `complete`; with the operation alone as its label. */
function firstOfKinds(of: readonly GateCall[]): GateCall[] {
  const kinds = Map.groupBy(of, ({ step, rule }) => `${step} ${String(rule.operation)}`);
  return [...kinds.values()].map((all) => {
    const [first] = all.toSorted((a, b) => a.nthOfKind - b.nthOfKind);
    return { ...first!, label: first!.label.split(' ')[0]! };
  });
}

function table(title: string, faults: readonly string[], cases: readonly Case[]): string {
  const rows = [...new Set(cases.map(({ call }) => call))].map((call, index) => {
    const cells = faults.map((fault) => cases.find((one) => one.call === call && one.fault === fault)!.outcome.words);
    return `| ${index + 1} | ${call.step} | ${call.label} | ${cells.join(' | ')} |`;
  });
  const head = ['#', 'step', 'call', ...faults];
  return `## ${title}\n\n| ${head.join(' | ')} |\n| ${head.map(() => '---').join(' | ')} |\n${rows.join('\n')}\n`;
}

/** How many cases came to what. */
function counts(cases: readonly Case[]): Record<string, number> {
  const words = cases.map(({ outcome }) => outcome.words).toSorted();
  return Object.fromEntries([...Map.groupBy(words, (one) => one)].map(([one, all]) => [one, all.length]));
}

const told = (cases: readonly Case[]): string[] =>
  cases.map(
    ({ call, fault, outcome }) => `${call.step} ${call.label}, ${fault}: ${outcome.words}\n${outcome.told.join('\n')}`,
  );

describe('each call that a green gate makes fails once, in six ways', () => {
  it('is a whole table: every call was met, and by one failure', () => {
    expect(calls.length).toBeGreaterThan(25);
    expect(once).toHaveLength(calls.length * Object.keys(FAULTS).length);
    expect(told(once.filter(({ outcome }) => outcome.hits !== 1))).toEqual([]);
    expect(told(outages.filter(({ outcome }) => outcome.hits < 1))).toEqual([]);
  });

  it('never ends green without its output, uses nothing stale, starts no agent twice or without a claim, and is green in the next attempt', () => {
    const wrong = [...once, ...outages].flatMap((one) => one.outcome.wrong.map((what) => `${told([one])[0]}\n${what}`));
    expect(wrong).toEqual([]);
  });

  it('is always told when it is red', () => {
    const silent = [...once, ...outages].filter(
      ({ outcome }) => outcome.words.startsWith('red') && !outcome.told.some((line) => line.startsWith('error ')),
    );
    expect(told(silent)).toEqual([]);
  });

  it('is green over a record that nobody can read only where the service kept other bytes than it was sent', () => {
    const altered = [...once, ...outages].filter(({ outcome }) => outcome.words.includes('its record altered'));
    expect(altered.map(({ call, fault }) => `${call.label}, ${fault}`)).toEqual(['PutBlob code ended, other bytes']);
  });

  it('costs no agent’s work once that is done and the claim could be read', () => {
    const again = [...once, ...outages].filter(({ outcome }) => outcome.words.startsWith('red complete; run again'));
    // What is left: the claim itself cannot be read when the agent is through.
    const reads = /^(?:ListArtifacts|GetSignedArtifactURL|GetBlob|list-workflow-run-artifacts)/;
    expect(told(again.filter(({ call }) => !reads.test(call.label) || call.step === 'begin'))).toEqual([]);
  });

  it('never turns a gate red because of the cache', () => {
    // An upload without a name of ours is the cache's.
    const uploads = once.filter(({ call }) => call.label === 'PutBlob');
    const cache = [...uploads, ...[...once, ...outages].filter(({ call }) => call.label.includes('Cache'))];
    expect(cache.length).toBeGreaterThan(20);
    expect(told(cache.filter(({ outcome }) => !outcome.words.startsWith('green')))).toEqual([]);
  });

  it('is healed where the service only stumbles', () => {
    const stumbles = once.filter(({ fault }) => fault === '500');
    expect(told(stumbles.filter(({ outcome }) => outcome.words !== 'green'))).toEqual([]);
  });

  it('comes to these outcomes, counted', () => {
    expect(counts(once)).toEqual({
      green: 139,
      'green, its record altered: whoever needs it is red': 1,
      'green, told': 21,
      'red begin; run again': 12,
      'red complete, claim lost; run again': 2,
      'red complete; its output kept': 2,
      'red complete; run again': 3,
    });
    expect(counts(outages)).toEqual({
      green: 4,
      'green, told': 6,
      'red begin; run again': 14,
      'red complete, claim lost; its output kept': 8,
      'red complete, claim lost; run again': 6,
    });
  });

  it('comes to the outcomes of the golden table', () => {
    const text = `# What becomes of a gate when a call to GitHub fails

Each call that a green \`begin\` and \`complete\` make, and what becomes of the job when that call fails in the second attempt
of a run. \`told\`: green, with a notice. \`run again\`, \`its output kept\`: what the next attempt of the run does, which is green.
\`UPDATE_GOLDEN=1\` writes this file.

${table('The call fails once', Object.keys(FAULTS), once)}
${table('The call fails, and every one of its kind after it', Object.keys(OUTAGES), outages)}`;
    if (mayRegenerate(process.env)) {
      mkdirSync(dirname(GOLDEN), { recursive: true });
      writeFileSync(GOLDEN, text);
    }
    expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  });
});
