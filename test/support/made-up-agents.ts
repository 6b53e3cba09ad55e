import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import type { Content, EndedRecord } from '../../src/run/records/record.ts';
import type { Unit } from '../../src/run/records/unit.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { contentOf } from './records.ts';

/** How good an output is: 0 is none at all, {@link BEST} meets every contract. */
export type Quality = 0 | 1 | 2 | 3;
export const BEST: Quality = 3;

/** How an agent words what it found: `terse` says the same whatever changed, `chatty` never the same twice. */
export type Manner = 'plain' | 'terse' | 'chatty';

/** What the needs of a unit export, by digest. */
export type NeedDigests = Readonly<Record<UnitKey, Digest | null>>;

/**
 * Agents, inputs and contracts that are made up; and, apart from all records, the memory of which outputs were made of
 * what: whoever uses an output can be checked against it.
 */
export class MadeUpAgents {
  /** Contents that went missing. One that is made again is there again. */
  readonly lost = new Set<Digest>();
  readonly #manners: readonly Manner[];
  readonly #versions = new Map<UnitKey, number>();
  readonly #bars = new Map<string, Quality>();
  readonly #made = new Map<string, Set<Digest>>();
  readonly #values = new Map<Digest, { quality: Quality; exports: Content }>();
  #outputs = 0;

  constructor(manners: readonly Manner[]) {
    this.#manners = manners;
  }

  /** Which version of its input a unit would be given now. */
  versionOf(key: UnitKey): number {
    return this.#versions.get(key) ?? 0;
  }

  setVersion(key: UnitKey, version: number): void {
    this.#versions.set(key, version);
  }

  /** From now on the contract asks for outputs at least that good; one less is partial. */
  setBar(gate: string, bar: Quality): void {
    this.#bars.set(gate, bar);
  }

  contractOf(gate: string): Digest {
    return digestOf(`contract of ${gate}: ${this.#bars.get(gate) ?? 2}`);
  }

  /** What today's contract says of an output. */
  judge(gate: string, quality: Quality): Verdict {
    const bar = this.#bars.get(gate) ?? 2;
    const common = { score: quality * 30, issues: [], advice: '' };
    if (quality === 0) return { ...common, status: 'failed', kind: 'agent-error' };
    if (quality >= bar) return { ...common, status: 'passed', kind: 'passed' };
    if (quality === bar - 1) return { ...common, status: 'partial', kind: 'partial' };
    return { ...common, status: 'failed', kind: 'schema' };
  }

  /** An agent makes an output of this quality: what it comes to by today's contract. */
  produce(unit: Unit, needs: NeedDigests, quality: Quality): Pick<EndedRecord, 'verdict' | 'value' | 'exports'> {
    const verdict = this.judge(unit.gate.id, quality);
    if (quality === 0) return { verdict };
    const given = this.#given(unit, needs);
    const said = this.#say(unit, given);
    const exports = contentOf(`exports: ${said}`);
    const value = contentOf(`value: ${said} of quality ${quality}`);
    this.#values.set(value.digest, { quality, exports });
    this.#made.set(given, (this.#made.get(given) ?? new Set()).add(exports.digest));
    for (const { digest } of [exports, value]) this.lost.delete(digest);
    return { verdict, value, ...(verdict.status !== 'failed' && { exports }) };
  }

  /** How good an output is, and what of it later gates see. */
  read(value: Content): { quality: Quality; exports: Content } {
    return this.#values.get(value.digest)!;
  }

  /** Exports that the unit's agent made of exactly these needs and its input as it is now. */
  madeOf(unit: Unit, needs: NeedDigests): ReadonlySet<Digest> {
    return this.#made.get(this.#given(unit, needs)) ?? new Set();
  }

  #given(unit: Unit, needs: NeedDigests): string {
    return JSON.stringify([unit.key, this.versionOf(unit.key), unit.needs.map((key) => [key, needs[key]])]);
  }

  #say(unit: Unit, given: string): string {
    const manner = this.#manners[unit.gate.number % this.#manners.length] ?? 'plain';
    this.#outputs += 1;
    return manner === 'terse' ? unit.key : manner === 'chatty' ? `${given} in words ${this.#outputs}` : given;
  }
}
