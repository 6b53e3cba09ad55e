import type { Fault } from './fault.ts';

const PROBLEMS = ['test/pipeline/problems.test.ts'];

/** Faults in reading a definition. */
export const PIPELINE_FAULTS: readonly Fault[] = [
  {
    name: 'pipeline: two gates that need each other are no cycle',
    find: '.filter((knot) => knot.length > 1)',
    replace: '.filter((knot) => knot.length > 2)',
    tests: PROBLEMS,
    why: 'such a pipeline would wait for ever',
  },
  {
    name: 'pipeline: a need that is no gate is accepted',
    find: 'if (known.has(need.value)) return [];',
    replace: "if (known.has(need.value) || need.value !== '') return [];",
    tests: PROBLEMS,
    why: 'a typo in `needs` would let a gate start too early',
  },
  {
    name: 'pipeline: text around an expression is accepted',
    find: 'if (bare === undefined) return [report(MIXED)];',
    replace: 'if (bare === undefined) return [];',
    tests: ['test/pipeline/conditions.test.ts'],
    why: '`if: ${{ false }} ` with a word behind it is true for ever',
  },
  {
    name: 'pipeline: an output that stands in is not judged',
    find: 'if (issues.length > 0) refused.push(',
    replace: 'if (issues.length > 1_000) refused.push(',
    tests: ['test/cli/stand-in.test.ts'],
    why: 'a gate would build on what its predecessor could never have handed on',
  },
  {
    name: 'pipeline: a job reads values of an output through its matrix',
    find: "context === 'matrix' && !(isStep && path.length === 1",
    replace: "context === 'none' && !(isStep && path.length === 1",
    tests: ['test/pipeline/data-matrix.test.ts'],
    why: "an agent's output could choose the runner of the next gate",
  },
];
