import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeTooOld, OLDEST_NODE } from '../../src/cli/node-version.ts';

describe('the version of Node', () => {
  it('that is too old is told, with what to do, and a newer one is not', () => {
    expect(nodeTooOld('20.20.2')).toMatch(/Node 22 or newer is required, and this is Node 20\.20\.2/);
    expect(nodeTooOld('22.0.0')).toBeUndefined();
    expect(nodeTooOld('100.1.0')).toBeUndefined();
  });

  it('that package.json asks for is the one that is asked for here', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      engines: { node: string };
    };
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });
});
