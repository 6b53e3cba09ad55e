import fc from 'fast-check';
import { expect, it } from 'vitest';
import { movingUses } from '../../../src/action/event/moving-uses.ts';

const PIN = '0123456789012345678901234567890123456789';

const WORKFLOW = `
on: push
jobs:
  design:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: actions/setup-node@${PIN} # v6
      - &agent
        uses: octo/agent/sub@main
      - uses: ./
      - uses: $/.github/actions/x
      - uses: docker://alpine:3
      - uses: docker://alpine@sha256:${'a'.repeat(64)}
      - uses: docker://alpine@sha256:short
      - run: echo "uses: x@v1"
      - *agent
      - uses: octo/short@0123456
  called:
    uses: octo/flows/.github/workflows/gate.yml@v2
  other:
    steps: [{ uses: octo/other@v1 }]
`;

it('names what may change without a change of the workflow, by its line', () => {
  expect(movingUses(WORKFLOW, 'design')).toEqual([
    { uses: 'actions/checkout@v7', line: 7 },
    { uses: 'octo/agent/sub@main', line: 10 },
    { uses: 'docker://alpine:3', line: 13 },
    { uses: 'docker://alpine@sha256:short', line: 15 },
    { uses: 'octo/agent/sub@main', line: 10 },
    { uses: 'octo/short@0123456', line: 18 },
  ]);
});

it('names the workflow that a job calls', () => {
  expect(movingUses(WORKFLOW, 'called')).toEqual([{ uses: 'octo/flows/.github/workflows/gate.yml@v2', line: 20 }]);
});

it.each([
  '',
  ':',
  '[',
  'jobs: 3',
  'jobs: {a: 3}',
  'jobs: {a: {steps: 3}}',
  'jobs: {a: {steps: [null, [], {uses: [1]}]}}',
  'jobs: {a: *x}',
])('has nothing to say of %j', (text) => {
  expect(movingUses(text, 'a')).toEqual([]);
});

it('never throws', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, job) => void movingUses(`jobs:\n  a:\n    steps: ${text}`, job)),
  );
});
