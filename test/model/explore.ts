/** A system to look through: everything that may happen in a state, and what must never be. */
export interface Model<State> {
  readonly initial: State;
  /** Every state that may come next, with the name of the step. */
  readonly next: (state: State) => Iterable<readonly [step: string, state: State]>;
  /** Equal for states that behave alike. */
  readonly key: (state: State) => string;
  /** What is wrong with a state; `undefined`: nothing. */
  readonly violation: (state: State) => string | undefined;
}

/** What looking through all of it came to. */
export interface Explored {
  /** Different states met. */
  readonly states: number;
  /** States in which nothing more can happen. */
  readonly ends: number;
  /** A violation that takes the fewest steps, where there is one. The search ends there. */
  readonly violation: { readonly what: string; readonly trace: readonly string[] } | undefined;
}

interface Visit<State> {
  readonly state: State;
  readonly step: string;
  readonly from: Visit<State> | undefined;
}

/** Looks through every state that can be reached, nearest first. */
export function explore<State>(model: Model<State>): Explored {
  const seen = new Set([model.key(model.initial)]);
  let ends = 0;
  let level: Visit<State>[] = [{ state: model.initial, step: '', from: undefined }];
  while (level.length > 0) {
    const nextLevel: Visit<State>[] = [];
    for (const visit of level) {
      const what = model.violation(visit.state);
      if (what !== undefined) return { states: seen.size, ends, violation: { what, trace: traceOf(visit) } };
      let moves = 0;
      for (const [step, state] of model.next(visit.state)) {
        moves += 1;
        const key = model.key(state);
        if (seen.has(key)) continue;
        seen.add(key);
        nextLevel.push({ state, step, from: visit });
      }
      if (moves === 0) ends += 1;
    }
    level = nextLevel;
  }
  return { states: seen.size, ends, violation: undefined };
}

function traceOf<State>(visit: Visit<State>): string[] {
  const steps: string[] = [];
  for (let at: Visit<State> | undefined = visit; at?.from !== undefined; at = at.from) steps.push(at.step);
  return steps.reverse();
}
