import { it } from 'vitest';
import { decide } from '../../src/engine/decide/decide.ts';
import type { Ports } from '../../src/engine/ports.ts';
import { createPipeline, orderOf, type GateSketch } from '../support/pipelines.ts';
import type { Answer } from './memory-agents.ts';
import { BY } from './simulation.ts';
import { expectStory, type Script, type Story } from './story.ts';

const FAIL: Answer = { exitCode: 1 };
const PLAN: GateSketch = { id: 'plan' };
const IMPLEMENT: GateSketch = { id: 'implement', needs: ['plan'], files: ['src'] };
const EDIT: GateSketch = { ...IMPLEMENT, needs: [] };
const REVIEW: GateSketch = { id: 'review', needs: ['implement'] };
const LOOP: GateSketch = {
  ...REVIEW,
  onFail: { goto: 'implement', maxIterations: 3 },
  contract: { checks: ['output.ok == true'] },
};
const LEGS = { from: { gate: 'plan', pointer: '/legs', variable: 'leg' }, maxParallel: 1, failFast: false };
const write =
  (path: string, content: string): Script =>
  (agent) =>
    agent.write(path, content);
const CONDITIONAL: readonly GateSketch[] = [
  PLAN,
  EDIT,
  { ...LOOP, needs: ['plan', 'implement'], if: 'needs.plan.score == 100' },
  { id: 'other', inputs: ['go'], files: ['log'] },
  { id: 'last', inputs: ['go'], files: ['x'] },
];
const reject = (ports: Ports) =>
  decide(ports, orderOf(createPipeline(CONDITIONAL)), { decision: 'reject', unit: 'plan' }, BY);
const pause = (ports: Ports) => decide(ports, orderOf(createPipeline([PLAN])), { decision: 'pause' }, BY);
const editSource = { implement: write('src', '2') };

const stories: Readonly<Record<string, Story>> = {
  'runs gates again that read a file which the user changed while another gate failed': [
    { readme: '1', src: '1' },
    [PLAN, IMPLEMENT],
    { implement: (agent, n, user) => (n > 1 ? agent.write('src', '2') : (user.set('readme', '2'), FAIL)) },
    ['plan implement; failed implement', 'plan implement', ''],
  ],
  'settles although two gates change one file back and forth': [
    { spec: '1', log: '1', readme: '1' },
    [
      { id: 'k', inputs: ['spec'], files: ['log'] },
      { id: 'm', inputs: ['spec'], needs: ['k'], files: ['log'] },
      { id: 'r', inputs: ['readme'] },
    ],
    { k: write('log', '2'), m: write('log', '1') },
    ['r k m', { readme: '2' }, 'r', { readme: '3' }, 'r'],
    { log: '1' },
  ],
  'puts back what a gate made of a spec, and takes back what it made of another one': [
    { spec: 'A' },
    [{ id: 'gen', inputs: ['spec'], files: ['x', 'y'] }],
    {
      gen: (agent) => {
        agent.write('x', `x${agent.read('spec')}`);
        if (agent.read('spec') === 'B') agent.write('y', 'yB');
      },
    },
    ['gen', { spec: 'B' }, 'gen', { spec: 'A' }, '; put x y', { spec: 'B' }, '; put x y'],
    { spec: 'B', x: 'xB', y: 'yB' },
  ],
  'runs nothing when the user goes back to a state that was done before': [
    { readme: 'A', src: '1' },
    [PLAN, IMPLEMENT, REVIEW],
    editSource,
    ['plan implement review', { readme: 'B' }, 'plan implement review', { readme: 'A' }, '', { readme: 'B' }, ''],
  ],
  'runs nothing when a file changed that no gate reads': [
    { readme: '1', src: '1' },
    [PLAN, IMPLEMENT].map((gate) => ({ ...gate, inputs: ['src'] })),
    { implement: (agent) => agent.write('src', `${agent.read('src')}+`) },
    ['plan implement', { readme: '2' }, '', { readme: '3' }, ''],
  ],
  'runs both gates that an edit outdates, killed between them': [
    { readme: '1' },
    [{ id: 'g1' }, { id: 'g2' }, { id: 'g3', inputs: [] }],
    { g3: () => FAIL, g2: (_, n, user) => (n === 2 ? user.kill() : undefined) },
    ['g1 g2 g3; failed g3', { readme: '2' }, 'g1 g2; killed', 'g2 g3; failed g3'],
  ],
  'runs only the upstream gate again if it says the same': [
    { a: '1', b: '1' },
    [
      { id: 'lint', inputs: ['a'] },
      { id: 'sum', inputs: ['b'], needs: ['lint'] },
      { id: 'last', inputs: ['b'], needs: ['sum'], files: ['b'] },
    ],
    { last: write('b', '2') },
    ['lint sum last', { a: '2' }, 'lint', ''],
  ],
  'goes on with what a killed editor left': [
    { src: '1', log: '1' },
    [PLAN, { ...IMPLEMENT, files: ['src', 'log'] }, REVIEW],
    {
      implement: (agent, n, user) => {
        agent.write('src', '2');
        if (n === 1) user.kill();
        else agent.write('log', '2');
      },
    },
    ['plan implement; killed', 'implement review', ''],
    { src: '2', log: '2' },
  ],
  'does a killed rework again with the same notes': [
    { src: '1', log: '1' },
    [{ ...EDIT, files: ['src', 'log'] }, LOOP],
    {
      implement: (agent, n, user) => {
        agent.write('src', agent.note ? '3' : '2');
        if (n === 2) user.kill();
        else if (agent.note) agent.write('log', '2');
      },
      review: (agent) => ({ output: { ok: agent.read('log') === '2' } }),
    },
    ['implement review implement; killed', 'implement review', ''],
    { src: '3', log: '2' },
  ],
  'asks a review again about an answer that changed nothing, as often as the loop allows': [
    { src: '1' },
    [EDIT, LOOP],
    { review: () => ({ output: { ok: false } }) },
    ['implement review implement review review; failed review'],
  ],
  'asks a review again also about an answer that left it below its threshold': [
    { src: '1' },
    [EDIT, { ...LOOP, contract: { score: '/score' } }],
    { review: () => ({ output: { score: 79 } }) },
    ['implement review implement review review; failed review'],
  ],
  'forces an attempt again that was killed': [
    { a: '1' },
    [{ id: 'g' }],
    { g: (_, n, user) => (n === 2 ? user.kill() : undefined) },
    ['g', ['force', 'g'], 'g; killed', 'g', ''],
  ],
  'puts back what the user threw away, and leaves what the user polished': [
    { spec: '1', src: '1' },
    [{ ...EDIT, inputs: ['spec'] }],
    editSource,
    ['implement', { src: '1' }, '; put src', { src: '7' }, '', ''],
    { src: '7' },
  ],
  'runs a reader again each time that leaves another file which it does not declare': [
    { a: '1' },
    [{ id: 'test' }],
    { test: (agent, n) => agent.write('coverage', String(n)) },
    ['test', 'test', 'test'],
  ],
  'runs a reader once more that leaves the same file': [
    { a: '1' },
    [{ id: 'test' }],
    { test: write('coverage', '1') },
    ['test', 'test', ''],
  ],
  'does not notice a file that is changed and changed back while an agent reads': [
    { a: '1' },
    [{ id: 'g' }],
    {
      g: async (agent, _, user) => {
        user.set('a', '2');
        await agent.tick();
        user.set('a', '1');
      },
    },
    ['g', ''],
  ],
  'takes polished work as it is when the user says that it holds': [
    { a: '1', src: '1' },
    [PLAN, IMPLEMENT, REVIEW],
    editSource,
    ['plan implement review', { src: '3' }, ['keep', 'plan', 'implement'], 'review', ''],
    { src: '3' },
  ],
  'does not run a gate again for what a gate made that it does not need': [
    { src: '1' },
    [{ id: 'test', inputs: ['src'] }, EDIT],
    editSource,
    ['test implement', ''],
  ],
  'does not keep an output that a person rejected': [
    { a: '1' },
    [{ id: 'g' }],
    {},
    ['g', { a: '2' }, 'g', ['reject', 'g'], { a: '1' }, ['keep', 'g'], ''],
  ],
  'leaves files alone of a gate that is skipped': [
    { src: '1' },
    [{ ...EDIT, inputs: [] }],
    editSource,
    ['implement', { src: '1' }, ['skip', 'implement'], '', ''],
    { src: '1' },
  ],
  'puts back what another gate made of a file, killed before that was in the log': [
    {},
    [
      { id: 'gen', inputs: [], files: ['x'] },
      { id: 'read', needs: ['gen'], inputs: [] },
      { id: 'other', inputs: ['go'], files: ['x'] },
    ],
    {
      gen: write('x', '1'),
      other: (agent, n, user) => {
        agent.write('x', '2');
        if (n === 1) user.kill('append');
      },
    },
    ['gen read other; killed', '', { x: '1', go: '1' }, 'other; put x', ''],
    { x: '2' },
  ],
  'goes on after a run that the user paused while its last gate worked': [
    { a: '1' },
    [PLAN],
    { plan: (_, n, user) => (n === 1 ? user.quietly(createPipeline([PLAN]), {}, pause, false) : undefined) },
    ['plan', { a: '2' }, 'plan', ''],
  ],
  'does not ask in a new run what a review asked in one that was closed': [
    { src: '1' },
    [EDIT, LOOP],
    {
      implement: (agent, n, user) => (n === 2 ? user.kill() : agent.write('src', agent.note ? '3' : '2')),
      review: (agent) => ({ output: { ok: agent.read('src') === '3' } }),
    },
    ['implement review implement; killed', ['close'], 'implement review', ''],
  ],
  'fails when a review sends work back to a gate whose condition is false': [
    { src: '1' },
    [
      { ...PLAN, contract: { score: '/score', partial: 'continue' } },
      { ...IMPLEMENT, if: 'needs.plan.score == 100' },
      LOOP,
    ],
    { plan: () => ({ output: { score: 50 } }), review: () => ({ output: { ok: false } }) },
    ['plan review; failed review', 'review; failed review'],
  ],
  'fails when a review sends work back to a gate without legs': [
    { src: '1' },
    [PLAN, { ...IMPLEMENT, matrix: LEGS }, LOOP],
    { plan: () => ({ output: { legs: [] } }), review: () => ({ output: { ok: false } }) },
    ['plan review; failed review', 'review; failed review'],
  ],
  'goes on when a person rejects what a condition is about, while a review waits to send work back': [
    { src: '1' },
    CONDITIONAL,
    {
      plan: () => ({ output: { score: 100 } }),
      implement: (agent) => agent.write('src', agent.note ? '3' : '2'),
      review: (agent) => ({ output: { ok: agent.read('src') === '3' } }),
      other: (_, __, user) => void user.quietly(createPipeline(CONDITIONAL), {}, reject, false),
      last: write('x', '2'),
    },
    ['plan implement review other last implement; failed plan', 'plan review', ''],
  ],
  'starts no gate with an output that a person rejects as soon as it is in the log': [
    {},
    [PLAN, { id: 'test', needs: ['plan'] }],
    {
      plan: (_, n, user) => {
        if (n === 1) user.before('appended', () => user.quietly(createPipeline(CONDITIONAL), {}, reject, false));
      },
    },
    ['plan; failed plan', 'plan test', ''],
  ],
  'starts no gate after one that works while a person rejects what it was given': [
    { src: '1' },
    [PLAN, IMPLEMENT, REVIEW],
    { implement: (_, __, user) => user.quietly(createPipeline(CONDITIONAL), {}, reject, false) },
    ['plan implement; failed plan', 'plan review', ''],
  ],
  "settles when a gate changes the user's version of a file that another gate made": [
    {},
    [
      { id: 'gen', inputs: [], files: ['x'] },
      { id: 'read', needs: ['gen'], inputs: [] },
      { id: 'other', needs: ['gen'], inputs: ['go'], files: ['x'] },
    ],
    { gen: write('x', '1'), other: write('x', '2') },
    ['gen read other', { x: '9', go: '1' }, 'read other', ''],
  ],
};

it.each(Object.entries(stories))('%s', (_, story) => expectStory(story));
