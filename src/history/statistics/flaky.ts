import type { UnitStatus } from '../../run/state/run-state.ts';
import { NO_VERDICT } from '../attempts.ts';
import { Numbers } from './numbers.ts';
import type { GateOutcome, GatesEntry } from '../entry.ts';

/** Statuses that are verdicts, each a bit. */
const VERDICTS: ReadonlyMap<UnitStatus, number> = new Map([
  ['passed', 1],
  ['partial', 2],
  ['failed', 4],
]);

const VERDICT_LIST = [...VERDICTS];

/** A gate that was asked the same and judged by the same contract, with different verdicts. */
export interface FlakyGate {
  readonly pipeline: string;
  readonly gate: string;
  readonly leg: string;
  /** The first 12 digits. */
  readonly fingerprint: string;
  readonly contract: string;
  /** The verdicts that it had at the end of runs; one, if it changed between attempts of a run. */
  readonly verdicts: readonly UnitStatus[];
}

/** A bit for a gate that is flaky within one run. */
const WITHIN = 8;

/** The requests of one gate or leg, by contract. */
interface Asked {
  readonly about: Pick<FlakyGate, 'pipeline' | 'gate' | 'leg'>;
  readonly contracts: Map<string, Verdicts>;
}

/** Finds flaky gates among the entries that it is given, in any order. Outputs that were reused say nothing. */
export class FlakyFinder {
  /** By pipeline, gate and leg. */
  readonly #seen = new Map<string, Map<string, Map<string, Asked>>>();

  add({ pipeline }: Pick<GatesEntry, 'pipeline'>, outcome: GateOutcome): void {
    const { fingerprint, contract, status, kind, reused, flaky, attempts } = outcome;
    const isVerdict = attempts > 0 && !reused && !(kind !== undefined && NO_VERDICT.has(kind));
    const bits = (isVerdict ? (VERDICTS.get(status) ?? 0) : 0) | (flaky ? WITHIN : 0);
    if (fingerprint === undefined || contract === undefined || bits === 0) return;
    const { contracts } = this.#asked(pipeline, outcome);
    let own = contracts.get(contract);
    if (own === undefined) contracts.set(contract, (own = new Verdicts()));
    own.add(Number.parseInt(fingerprint, 16), bits);
  }

  /** By pipeline, gate, leg, contract and fingerprint. */
  found(): FlakyGate[] {
    const asked = [...this.#seen.values()].flatMap((gates) =>
      [...gates.values()].flatMap((legs) => [...legs.values()]),
    );
    const flaky = asked.flatMap(({ about, contracts }) =>
      [...contracts].flatMap(([contract, own]) => {
        const some: FlakyGate[] = [];
        for (const [number, bits] of own.byFingerprint()) {
          const verdicts = VERDICT_LIST.filter(([, bit]) => (bits & bit) !== 0).map(([status]) => status);
          if (verdicts.length < 2 && (bits & WITHIN) === 0) continue;
          some.push({ ...about, fingerprint: number.toString(16).padStart(12, '0'), contract, verdicts });
        }
        return some;
      }),
    );
    const place = (one: FlakyGate): string => Object.values({ ...one, verdicts: '' }).join(' ');
    return flaky.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  }

  #asked(pipeline: string, { gate, leg }: GateOutcome): Asked {
    let gates = this.#seen.get(pipeline);
    if (gates === undefined) this.#seen.set(pipeline, (gates = new Map<string, Map<string, Asked>>()));
    let legs = gates.get(gate);
    if (legs === undefined) gates.set(gate, (legs = new Map<string, Asked>()));
    let asked = legs.get(leg);
    if (asked === undefined) legs.set(leg, (asked = { about: { pipeline, gate, leg }, contracts: new Map() }));
    return asked;
  }
}

/** Fingerprints with verdicts as bits: one number each, since there may be one for each run. */
class Verdicts {
  readonly #packed = new Numbers();

  /** @param fingerprint of 48 bits, so that it is exact with 4 more */
  add(fingerprint: number, bits: number): void {
    this.#packed.add(fingerprint * 16 + bits);
  }

  /** Each fingerprint once, with all its verdicts. */
  *byFingerprint(): Generator<readonly [number, number]> {
    const sorted = this.#packed.sorted();
    for (let at = 0; at < sorted.length;) {
      const fingerprint = Math.floor(sorted[at]! / 16);
      let bits = 0;
      for (; at < sorted.length && Math.floor(sorted[at]! / 16) === fingerprint; at += 1) bits |= sorted[at]! % 16;
      yield [fingerprint, bits];
    }
  }
}
