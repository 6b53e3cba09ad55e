import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayRegenerate } from '../../report/golden.ts';
import type { Fault } from '../../support/github/faults.ts';
import { places } from '../../support/runner/places.ts';
import { bySize, IS_FULL, spread, TEST_SIZE } from '../../support/test-size.ts';
import { callsOfGreenGate, FAULTS, type GateCall } from './calls.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { twoGates, type TwoGates } from './two-gates.ts';

const GOLDEN = join(import.meta.dirname, 'golden/outcomes.md');

/** Most of a case is waiting. */
const AT_ONCE = 10;

/** 30 minutes: a slow machine takes ten, a quiet one three. */
const LONG = 30 * 60_000;

/** A soak tries every failure of every call, and compares the whole table. */
const IS_WHOLE = TEST_SIZE === 'soak';

/** The failure that is shown with processes of the action's own, except in a sample. */
const BY_PROCESSES = '500';

interface Case {
  readonly call: GateCall;
  readonly fault: string;
  readonly outcome: Outcome;
}

/** Outages: the call, and all of its kind after it in the attempt. */
const OUTAGES: Readonly<Record<string, Fault>> = { '500': FAULTS['500']!, 'no answer': FAULTS['no answer']! };

let gates: TwoGates;
let calls: readonly GateCall[];
/** Of each kind of call the first. */
let firsts: readonly GateCall[];
let once: readonly Case[];
let outages: readonly Case[];

beforeAll(async () => {
  gates = await twoGates('here');
  calls = await callsOfGreenGate(gates);
  const free = places(AT_ONCE);
  const runCase = async (call: GateCall, fault: string, rule: object): Promise<Case> => {
    using _place = await free.take();
    const name = `${call.step} ${call.label} ${call.nthOfKind} ${fault}${'times' in rule ? ' on' : ''}`;
    const how = IS_FULL && fault === BY_PROCESSES ? 'processes' : 'here';
    return { call, fault, outcome: await outcomeOf(gates, name, [{ ...call.rule, ...rule } as never], how) };
  };
  const all = (
    of: readonly GateCall[],
    faults: Readonly<Record<string, Fault>>,
    { sample, full }: { readonly sample: number; readonly full: number },
    rule: (call: GateCall) => object,
  ): Promise<Case[]> => {
    const kinds = Object.entries(faults);
    // The kinds of failure take turns, so that each call and each kind occurs.
    const each = bySize({ sample: 1, full, soak: kinds.length });
    const some = spread(of, bySize({ sample, full: Infinity })).flatMap((call, index) =>
      Array.from({ length: each }, (_, turn) => {
        const [name, fault] = kinds[(index + (turn * kinds.length) / each) % kinds.length]!;
        return { call, name, fault };
      }),
    );
    return Promise.all(some.map(({ call, name, fault }) => runCase(call, name, { ...rule(call), fault })));
  };
  firsts = firstOfKinds(calls);
  [once, outages] = await Promise.all([
    // 13 of 26 times 6 takes each kind of failure, as it happens.
    all(calls, FAULTS, { sample: 13, full: 2 }, () => ({})),
    all(firsts, OUTAGES, { sample: 2, full: 1 }, (call) => ({ name: /^/, nth: call.nthOfKind, times: Infinity })),
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

const ONCE = 'The call fails once';
const LASTING = 'The call fails, and every one of its kind after it';

function table(title: string, of: readonly GateCall[], faults: readonly string[], cases: readonly Case[]): string {
  const rows = of.map((call, index) => {
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
    expect(new Set(once.map(({ fault }) => fault)).size).toBe(Object.keys(FAULTS).length);
    if (IS_FULL) expect(new Set(once.map(({ call }) => call)).size).toBe(calls.length);
    if (IS_WHOLE) expect(once).toHaveLength(calls.length * Object.keys(FAULTS).length);
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
    const where = altered.map(({ call, fault }) => `${call.label}, ${fault}`);
    expect(['PutBlob code ended, other bytes']).toEqual(IS_WHOLE ? where : expect.arrayContaining(where));
  });

  it('costs no agent’s work once that is done', () => {
    const again = once.filter(({ outcome }) => /^red complete.*run again/.test(outcome.words));
    expect(told(again)).toEqual([]);
  });

  it('never turns a gate red because of the cache', () => {
    // An upload without a name of ours is the cache's.
    const uploads = once.filter(({ call }) => call.label === 'PutBlob');
    const cache = [...uploads, ...[...once, ...outages].filter(({ call }) => call.label.includes('Cache'))];
    expect(cache.length).toBeGreaterThan(bySize({ sample: 0, full: 8, soak: 20 }));
    expect(told(cache.filter(({ outcome }) => !outcome.words.startsWith('green')))).toEqual([]);
  });

  it('is healed where the service only stumbles', () => {
    const stumbles = once.filter(({ fault }) => fault === '500');
    expect(told(stumbles.filter(({ outcome }) => outcome.words !== 'green'))).toEqual([]);
  });

  it.runIf(IS_WHOLE)('comes to these outcomes, counted', () => {
    expect(counts(once)).toEqual({
      green: 132,
      'green, its record altered: whoever needs it is red': 1,
      'green, told': 18,
      'red begin; run again': 9,
      'red complete; its output kept': 2,
    });
    expect(counts(outages)).toEqual({
      'green, told': 8,
      'red begin; run again': 14,
      'red complete, claim lost; its output kept': 8,
      'red complete, claim lost; run again': 2,
    });
  });

  it.runIf(IS_WHOLE)('comes to the outcomes of the golden table', () => {
    const text = `# What becomes of a gate when a call to GitHub fails

Each call that a green \`begin\` and \`complete\` make, and what becomes of the job when that call fails in the second attempt
of a run. \`told\`: green, with a notice. \`run again\`, \`its output kept\`: what the next attempt of the run does, which is green.
\`UPDATE_GOLDEN=1\` with \`GATELINE_TEST_SIZE=soak\` writes this file.

${table(ONCE, calls, Object.keys(FAULTS), once)}
${table(LASTING, firsts, Object.keys(OUTAGES), outages)}`;
    if (mayRegenerate(process.env)) {
      mkdirSync(dirname(GOLDEN), { recursive: true });
      writeFileSync(GOLDEN, text);
    }
    expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('comes to what the golden table says of it', () => {
    const golden = readFileSync(GOLDEN, 'utf8').split('\n## ');
    const different = (title: string, of: readonly GateCall[], faults: readonly string[], cases: readonly Case[]) => {
      const rows = golden
        .find((part) => part.startsWith(title))!
        .split('\n')
        .slice(4);
      return cases.flatMap(({ call, fault, outcome }) => {
        const cells = rows[of.indexOf(call)]!.split(' | ');
        const said = cells[3 + faults.indexOf(fault)]!.replace(/ \|$/, '');
        const is = `${call.step} ${call.label} ${outcome.words}`;
        return `${cells[1]} ${cells[2]} ${said}` === is ? [] : [`${is}, and not: ${said}\n${outcome.told.join('\n')}`];
      });
    };
    expect(different(ONCE, calls, Object.keys(FAULTS), once)).toEqual([]);
    expect(different(LASTING, firsts, Object.keys(OUTAGES), outages)).toEqual([]);
  });
});
