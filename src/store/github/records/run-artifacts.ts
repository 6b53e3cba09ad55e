import type { HiddenBy, ReadProblem } from '../../../run/records/reading.ts';
import type { Patience } from '../../../github/patient-calls.ts';
import type { RecordStore } from '../../record-store.ts';
import type { ArtifactListing, ArtifactService, ListedArtifact, Trouble } from '../artifacts/artifact-service.ts';
import { kindOf, parseArtifactName, type ArtifactName } from './artifact-names.ts';

/** The run whose artifacts are used as a store. */
export interface WorkflowRun {
  /** `GITHUB_RUN_ID`. */
  readonly id: string;
  /** `GITHUB_RUN_NUMBER`: the `runNumber` of its records. */
  readonly number: number;
  /** `GITHUB_RUN_ATTEMPT` of the reader. */
  readonly attempt: number;
}

/** A store of contents on this machine: those waiting for their record, and those downloaded. */
export type Spool = Pick<RecordStore, 'put' | 'putStream' | 'get' | 'check' | 'copyTo'>;

/** State that the parts of a store share. */
export interface StoreParts {
  readonly service: ArtifactService;
  readonly view: RunArtifacts;
  readonly run: WorkflowRun;
  readonly spool: Spool;
  readonly temporaryFolder: string;
  /** Milliseconds for reading everything in one listing. */
  readonly readingMs: number;
  /** Receives notices for people, one sentence each. */
  readonly notice: (message: string) => void;
}

/** An artifact with one of our names. */
export interface NamedArtifact<Name extends ArtifactName = ArtifactName> {
  readonly artifact: ListedArtifact;
  readonly named: Name;
}

/** The artifacts of a run from the last listing, and those that this process uploaded. */
export class RunArtifacts {
  readonly #service: ArtifactService;
  readonly #run: WorkflowRun;
  readonly #uploaded: ListedArtifact[] = [];
  #artifacts: NamedArtifact[] = [];
  #byName = new Map<string, ListedArtifact[]>();
  #problem: ReadProblem | undefined;
  #hiddenBy: HiddenBy | undefined;
  #begun: Promise<ArtifactListing> | undefined;

  constructor(service: ArtifactService, run: WorkflowRun) {
    this.#service = service;
    this.#run = run;
  }

  /** Why there may be more artifacts than those known. `undefined`: there are no more, or nothing was listed yet. */
  get problem(): ReadProblem | undefined {
    return this.#problem;
  }

  /** Reasons why artifacts of earlier attempts may be invisible, according to the last listing. */
  get hiddenBy(): HiddenBy | undefined {
    return this.#hiddenBy;
  }

  /** Starts the listing that the next {@link refresh} uses: the caller has other work to do meanwhile. */
  begin(): void {
    this.#begun = this.#service.list();
    // The caller of `refresh` gets the error, if there is one.
    this.#begun.catch(() => undefined);
  }

  /** Lists again. If that fails, the earlier result is kept. */
  async refresh(patience?: Patience): Promise<void> {
    const begun = this.#begun;
    this.#begun = undefined;
    const { artifacts, problem, hiddenBy } = await (begun ?? this.#service.list(patience));
    this.#hiddenBy = hiddenBy;
    this.#problem = problem && { ...problem, where: `artifacts of run ${this.#run.id}` };
    const known = problem?.code === 'OUTAGE' ? this.#artifacts.map(({ artifact }) => artifact) : [];
    const all = new Map([...known, ...this.#uploaded, ...artifacts].map((artifact) => [artifact.id, artifact]));
    this.#set([...all.values()].flatMap(named));
  }

  /** Remembers an upload: a listing may be slightly out of date. */
  add(artifact: ListedArtifact): void {
    this.#uploaded.push(artifact);
    this.#set([...this.#artifacts, ...named(artifact)]);
  }

  /** Every artifact with one of our names. */
  all(): readonly NamedArtifact[] {
    return this.#artifacts;
  }

  /** Artifacts with this name: one, unless a second one was uploaded in another attempt. */
  of(name: string): readonly ListedArtifact[] {
    return this.#byName.get(name) ?? [];
  }

  #set(artifacts: NamedArtifact[]): void {
    this.#artifacts = artifacts;
    this.#byName = Map.groupBy(
      artifacts.map(({ artifact }) => artifact),
      ({ name }) => name,
    );
  }

  /** A problem with one artifact, with the data from its name. */
  problemWith(
    name: string,
    trouble: Pick<ReadProblem, 'message'> & { readonly code: ReadProblem['code'] },
  ): ReadProblem {
    const parsed = parseArtifactName(name);
    const problem = { code: trouble.code, where: name, message: trouble.message };
    if (parsed?.holds !== 'record') return problem;
    const { gate, leg, runAttempt, n } = parsed;
    return { ...problem, names: { gate, leg, runNumber: this.#run.number, runAttempt, n, kind: kindOf(parsed) } };
  }
}

/** The most significant of several problems, the first of its kind: temporary ones before permanent ones. */
export function worstOf(troubles: readonly Trouble[]): Trouble | undefined {
  const order: readonly Trouble['code'][] = ['OUTAGE', 'LISTING_LIMIT', 'CONTENT_ALTERED', 'CORRUPT', 'UNREADABLE'];
  return [...troubles].sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code))[0];
}

function named(artifact: ListedArtifact): NamedArtifact[] {
  const name = parseArtifactName(artifact.name);
  return name === undefined ? [] : [{ artifact, named: name }];
}
