/** One gate of a random graph. */
export interface Shape {
  /** Numbers of earlier gates; others are left out. */
  readonly needs: readonly number[];
  /** It exports less than it says, so that different outputs often export the same. */
  readonly terse: boolean;
  readonly reuse: 'auto' | 'never';
  readonly partial: 'block' | 'continue' | 'pause';
  /** Who may approve; `[]`: anybody; `undefined`: it needs no approval. */
  readonly approval: readonly string[] | undefined;
  /** Milliseconds after which its output is not used again. */
  readonly maxAge: number | undefined;
  /** It sends work back when it is judged and fails: to which of its ancestors, and how often that one may run. */
  readonly back: { readonly to: number; readonly most: number } | undefined;
  /** It is judged together with others that are, too. */
  readonly grouped: boolean;
  /** What its agent says is often not good enough. */
  readonly picky: boolean;
}

/** What an agent says, with its keys in the order in which they are kept. */
export interface Said {
  readonly long: string;
  readonly score: number;
  readonly short: number;
}

/** The run that a new run begins from. */
export interface Fork {
  readonly subject: string;
  readonly run: number;
  /** It and everything downstream run again. */
  readonly gate?: number | undefined;
}

/** A call of a run. */
export interface Place {
  readonly subject: string;
  readonly run: number;
  readonly call: number;
}

interface Noted extends Place {
  /** Its place in the order of all that happened. */
  readonly at: number;
  /** When it was made. */
  readonly time: number;
}

/** The end of an attempt, or its loss. */
export interface Attempt extends Noted {
  readonly what: 'ended' | 'lost';
  readonly gate: number;
  readonly how: 'ran' | 'reused' | 'adopted';
  /** Which attempt of the gate in its call it is, from 1. */
  readonly n: number;
  readonly request: string;
  /** Its work was sent back before: the request without that. */
  readonly base?: string;
  /** The threshold that it was judged by. */
  readonly threshold: number;
  /** Exports of its needs. */
  readonly given: readonly (string | null)[];
  readonly said?: Said;
  /** The attempt whose agent said it. */
  readonly origin?: Attempt;
}

/** A decision. */
export interface Decided extends Noted {
  readonly what: 'decided';
  /** -1: the whole run. */
  readonly gate: number;
  readonly decision: string;
  readonly actor: string;
  /** What a person gave; only that of a call's own steps matters. */
  readonly reason?: string | undefined;
  readonly until?: number;
  /** `approve`, `reject`, `rework`: what it is about. */
  readonly about?: Attempt;
  /** `rework`: who sent it back, for which time, and what failed. */
  readonly rework?: { readonly cause: string; readonly times: number; readonly from: readonly Attempt[] };
  readonly fork?: Fork;
  /** `force`: the loop goes on where it is. */
  readonly isSameIteration?: boolean;
}

/** One thing that happened. */
export type Fact = Attempt | Decided;

/** Reads a gate's file, and says whether a text is still stored. */
export interface Outside {
  readonly now: () => number;
  readonly reads: (gate: number) => string;
  readonly has: (text: string) => boolean;
}

/** The state of a gate in a run. */
export interface View {
  readonly status: string;
  readonly done: boolean;
  readonly exports: string | null;
  /** The attempt that makes it so. */
  readonly attempt?: Attempt;
}

/** What an attempt is worth. */
export interface Standing {
  readonly status: string;
  /** Later gates may use it. */
  readonly isOk: boolean;
}
