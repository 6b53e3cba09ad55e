import { describe, expect, it } from 'vitest';
import { agentEnvironment, missingSecrets } from '../../../src/engine/attempt/agent-environment.ts';
import { gateOf } from '../../support/pipelines.ts';

const PROTOCOL = { GATELINE_OUTPUT: '/attempt/output.json' };

describe('the environment of an agent', () => {
  it('is the caller’s without the runner’s own variables', () => {
    const inherited = { PATH: '/bin', INPUT_TOKEN: 'x', STATE_x: 'x', ACTIONS_RUNTIME_TOKEN: 'x', GATELINE_TOKEN: 'x' };
    const env = agentEnvironment({ ...inherited, UNSET: undefined }, gateOf('a'), new Set(), PROTOCOL);
    expect(env).toEqual({ PATH: '/bin', ...PROTOCOL });
  });

  it('has the secrets that its gate names, and none that only others name', () => {
    const inherited = { MINE: '1', THEIRS: '2' };
    const env = agentEnvironment(inherited, gateOf('a', { secrets: ['MINE'] }), new Set(['MINE', 'THEIRS']), {});
    expect(env).toEqual({ MINE: '1' });
  });

  it('has the gate’s own variables over the caller’s, and the protocol’s over all', () => {
    const gate = gateOf('a', { env: { LANG: 'C', HOME: null, INPUT_X: 'x', GATELINE_OUTPUT: '/elsewhere' } });
    const env = agentEnvironment({ LANG: 'de', HOME: '/home' }, gate, new Set(), PROTOCOL);
    expect(env).toEqual({ LANG: 'C', HOME: '/home', ...PROTOCOL });
  });

  it('lacks a secret that is not set or empty', () => {
    const gate = gateOf('a', { secrets: ['SET', 'EMPTY', 'ABSENT'] });
    expect(missingSecrets({ SET: '1', EMPTY: '' }, gate)).toEqual(['EMPTY', 'ABSENT']);
  });
});
