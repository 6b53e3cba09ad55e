import { digestOf } from '../../src/json/digest.ts';
import {
  attemptOf,
  entrySchema,
  type AttemptRef,
  type DecidedEntry,
  type EndedEntry,
  type Entry,
  type StartedEntry,
} from '../../src/run/entry.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';

/** A verdict with a score, by its status. */
export function createVerdict(status: Verdict['status'], over: Partial<Verdict> = {}): Verdict {
  const kind = status === 'failed' ? 'check' : status;
  const score = { passed: 95, partial: 60, failed: 0, 'not-applicable': 100 }[status];
  return { status, kind, score, issues: [], advice: '', ...over };
}

type Over<E> = Partial<Omit<E, 'kind' | 'unit'>>;

/** What entries of a script have beside what it says. */
export interface ScriptDetails {
  readonly started?: Over<StartedEntry>;
  readonly ended?: Over<EndedEntry>;
  readonly decided?: { readonly reason?: string; readonly run?: number };
  /** The end that decisions are about. Default: the last one. */
  readonly about?: EndedEntry;
}

/** The verdicts of a script, by the last character of a word. */
export const SIGNS: Readonly<Record<string, Verdict['status']>> = { '+': 'passed', '~': 'partial', '-': 'failed' };

/** Writes entries as the engine does: one minute apart, attempts numbered by unit and run. */
export class LogBuilder {
  readonly entries: Entry[] = [];
  pipeline = 'main';
  subject = 'pr-42';
  run = 1;

  /**
   * Writes what a script says: `plan+`, `plan~` and `plan-` (an agent ran: passed, partial, failed), `plan?` and `plan*`
   * (started by the engine, by `begin`), `plan.` and `plan!` (that ended, was lost), `skip:plan`, `force:plan`,
   * `skipped:plan` (or `adopted`, `not-applicable`), about the last end `approve`, `reject`, `used`, `rework`,
   * `rollback`, and `pause`, `resume`, `close`, `complete`.
   */
  play(script: string, { started, ended, decided, about }: ScriptDetails = {}): this {
    for (const word of script.split(' ')) {
      const [verb, unit] = word.split(':') as [string, string?];
      const [name, sign] = [word.slice(0, -1), word.at(-1)!];
      const end = about ?? this.ends.findLast(({ output }) => output !== undefined);
      if (sign in SIGNS) {
        this.start(name, started);
        this.end(name, { verdict: createVerdict(SIGNS[sign]!), ...ended });
      } else if (sign === '?' || sign === '*')
        this.start(name, { ...(sign === '*' && { process: undefined }), ...started });
      else if (sign === '.') this.end(name, ended);
      else if (sign === '!') this.end(name, { how: 'lost', output: undefined, verdict: createVerdict('failed') });
      else if (verb === 'skip' || verb === 'force') this.decide({ decision: verb, unit, ...decided });
      else if (unit !== undefined)
        this.settle(unit, verb as EndedEntry['how'], { actor: 'octocat', reason: 'not today', ...decided });
      else if (end && verb === 'used') this.settle(end.unit, 'used', { source: end.source ?? attemptOf(end) });
      else this.decide({ ...this.#fieldsOf(verb as DecidedEntry['decision'], end), ...decided });
      if (verb === 'close' || verb === 'complete') this.run += 1;
    }
    return this;
  }

  get ends(): EndedEntry[] {
    return this.entries.filter((entry) => entry.kind === 'ended');
  }

  start(unit: string, over: Over<StartedEntry> = {}): StartedEntry {
    const n = 1 + this.#attempts(unit).reduce((last, entry) => Math.max(last, entry.n), 0);
    const [fingerprint, contract] = [digestOf(`request of ${unit}`), digestOf('contract')];
    const fields = { n, fingerprint, contract, snapshot: 'tree', iteration: 1, rework: false, writes: true };
    return this.#add({ ...this.#head(), kind: 'started', unit, ...fields, process: { pid: 7, start: '1' }, ...over });
  }

  end(unit: string, over: Over<EndedEntry> = {}): EndedEntry {
    const { n, fingerprint, contract, iteration, rework } = this.#attempts(unit).at(-1)!;
    const request = { n, fingerprint, contract, iteration, rework };
    const output = { digest: digestOf(`output of ${unit} ${n}`), bytes: 30 };
    const result = { how: 'ran' as const, verdict: createVerdict('passed'), output, ms: 12_500 };
    const files = { files: {}, changes: [], undeclared: [] };
    return this.#add({ ...this.#head(), kind: 'ended', unit, ...request, ...result, ...files, ...over });
  }

  /** An end without a start: used, adopted, skipped, not applicable. */
  settle(unit: string, how: EndedEntry['how'], over: Over<EndedEntry> = {}): EndedEntry {
    this.start(unit);
    const isEmpty = how === 'skipped' || how === 'not-applicable';
    const verdict = createVerdict(isEmpty ? 'not-applicable' : 'passed');
    const entry = this.end(unit, { how, ms: 0, verdict, ...(isEmpty && { output: undefined }), ...over });
    this.entries.splice(-2, 1);
    return entry;
  }

  use(unit: string, source: AttemptRef): EndedEntry {
    return this.settle(unit, 'used', { source });
  }

  decide(fields: Record<string, unknown>): DecidedEntry {
    const entry = { ...this.#head(), kind: 'decided', actor: 'octocat', reason: 'looks fine', ...fields };
    return this.#add(entry as unknown as DecidedEntry);
  }

  #fieldsOf(decision: DecidedEntry['decision'], end: EndedEntry | undefined): Record<string, unknown> {
    if (end === undefined) return { decision };
    const { unit, fingerprint, output, verdict } = end;
    const attempt = end.source ?? attemptOf(end);
    if (decision === 'approve') return { decision, unit, fingerprint, output: output!.digest };
    if (decision === 'reject') return { decision, unit, fingerprint, output: output!.digest, attempt };
    if (decision === 'rollback') return { decision, to: 'all', attempts: [attempt], changes: [] };
    if (decision === 'rework') {
      const causes = [{ unit, attempt, output, verdict }];
      return { decision, gate: 'code', iteration: 2, reason: `sent back by ${unit}`, causes };
    }
    return { decision };
  }

  #add<E extends Entry>(entry: E): E {
    this.entries.push(entrySchema.parse(entry));
    return entry;
  }

  #attempts(unit: string): (StartedEntry | EndedEntry)[] {
    const { run, subject } = this;
    return this.entries.filter(
      (entry) => entry.kind !== 'decided' && entry.unit === unit && entry.run === run && entry.subject === subject,
    ) as (StartedEntry | EndedEntry)[];
  }

  #head() {
    const at = new Date(Date.UTC(2026, 0, 2, 3, this.entries.length)).toISOString();
    return { v: 1, pipeline: this.pipeline, subject: this.subject, run: this.run, at } as const;
  }
}
