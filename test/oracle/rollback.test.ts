import { it } from 'vitest';
import type { GateSketch } from '../support/pipelines.ts';
import { expectStory, type Story } from './story.ts';

const EDIT: GateSketch = { id: 'implement', files: ['src'] };
const REVIEW: GateSketch = { id: 'review', needs: ['implement'] };

const stories: Readonly<Record<string, Story>> = {
  'leaves what the user wrote again, and a gate was content with': [
    { src: '1' },
    [{ ...EDIT, inputs: [] }],
    { implement: (agent) => agent.write('src', '2') },
    ['implement', ['rollback', 'all'], { src: '2' }, ['resume'], 'implement', ''],
    { src: '2' },
  ],
  'takes back what a run made in the folder, although it went on in clones': [
    { a: '1', src: '0' },
    [{ ...EDIT, inputs: ['a'] }, REVIEW],
    { implement: (agent) => agent.write('src', agent.read('a')!), review: () => ({ exitCode: 1 }) },
    [
      'implement review; failed review',
      { a: '2' },
      'isolated: implement review; failed review',
      'isolated: review; put src; failed review',
      ['rollback', 'all'],
    ],
    { src: '0' },
  ],
  'takes back what a review asked': [
    { src: '1' },
    [EDIT, { ...REVIEW, onFail: { goto: 'implement', maxIterations: 3 }, contract: { checks: ['output.ok == true'] } }],
    {
      implement: (agent, n, user) => (n === 2 ? user.kill() : agent.write('src', agent.note ? '3' : '2')),
      review: (agent) => ({ output: { ok: agent.read('src') === '3' } }),
    },
    ['implement review implement; killed', ['rollback', 'all'], ['resume'], 'implement review implement review', ''],
  ],
  'is not undone by what another gate remembers of the change': [
    { go: '1' },
    [
      { id: 'edit', inputs: ['go'], files: ['x'] },
      { id: 'gen', inputs: [], files: ['x'] },
    ],
    {
      edit: (agent, n, user) => {
        if (n !== 2) return;
        agent.write('x', '2');
        user.kill('append');
      },
      gen: (agent) => agent.write('x', '1'),
    },
    ['edit gen', { go: '2' }, 'edit; killed', ['rollback', 'all'], ['resume'], 'edit', ''],
    { x: '1' },
  ],
};

it.each(Object.entries(stories))('a rollback %s', (_, story) => expectStory(story));
