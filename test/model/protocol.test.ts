import { describe, expect, it } from 'vitest';
import { explore, type Explored } from './explore.ts';
import { protocol, type ProtocolOptions } from './protocol.ts';
import { IS_FULL } from '../support/test-size.ts';

const PAIR = { a: [], b: ['a'] };
const CHAIN = { ...PAIR, c: ['b'] };
const DIAMOND = { ...PAIR, c: ['a'], d: ['b', 'c'] };

function lookThrough(what: string, options: ProtocolOptions): Explored {
  const found = explore(protocol(options));
  console.log(`${what}: ${found.states} states, ${found.ends} of them ends`);
  return found;
}

describe('jobs of one call that share out gates by claims', () => {
  // More gates go with fewer writers or with agents that never fail: all of it at once has too many states.
  const most = { what: '3 gates in a chain, 3 writers', gates: CHAIN, writers: 3, failures: false, atLeast: 100_000 };
  it.each([
    ...(IS_FULL ? [most] : []),
    { what: '2 gates, 3 writers, agents that fail', gates: PAIR, writers: 3, failures: true, atLeast: 15_000 },
    {
      what: '3 gates in a chain, 2 writers, agents that fail',
      gates: CHAIN,
      writers: 2,
      failures: true,
      atLeast: 4_000,
    },
    { what: '4 gates in a diamond, 2 writers', gates: DIAMOND, writers: 2, failures: false, atLeast: 5_000 },
  ])(
    'never break what is promised, wherever they die and however old their listings are: $what',
    ({ what, atLeast, ...bounds }) => {
      const found = lookThrough(what, { ...bounds, claims: true });
      expect(found.violation).toBeUndefined();
      expect(found.states).toBeGreaterThan(atLeast);
    },
  );

  it('break it where a claim is written whether or not there is one', () => {
    const found = lookThrough('without the claim, until the first violation', {
      gates: CHAIN,
      writers: 3,
      failures: false,
      claims: false,
    });
    const { what, trace } = found.violation!;
    console.log(`${what}, after ${trace.length} steps:\n  ${trace.join('\n  ')}`);
    expect(what).toBe('a runs twice at the same time');
    expect(trace).toHaveLength(4);
  });
});
