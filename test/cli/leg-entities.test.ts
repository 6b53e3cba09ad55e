import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineIn, gatelineYml } from './in-process.ts';

const MAKE = `node -e "require('fs').writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ leg: process.env.GATELINE_LEG }))"`;
const READ = `node -e "const r = JSON.parse(require('fs').readFileSync(process.env.GATELINE_REQUEST)); require('fs').writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(r.entities.page))"`;

function legs(more: object): object {
  return { inputs: [], strategy: { matrix: { browser: ['chrome', 'firefox'] } }, ...more };
}

function gates(close: string): Record<string, object> {
  return {
    open: legs({ run: MAKE, creates: 'page' }),
    read: legs({ run: READ, needs: 'open', requires: 'page' }),
    close: legs({ run: close, needs: 'read', requires: 'page', invalidates: 'page' }),
  };
}

async function create(close: string): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates(close), { entities: { page: null } }) });
}

async function pages(workspace: ScratchWorkspace): Promise<Record<string, string>> {
  const { out } = await gatelineIn(workspace, 'entities', '--json');
  const { entities } = JSON.parse(out) as { entities: { instance: string; status: string }[] };
  return Object.fromEntries(entities.map(({ instance, status }) => [instance, status]));
}

describe('legs of a matrix gate', () => {
  it('create, get and use up only their own instance', async () => {
    const isFirefox = `[ "$GATELINE_LEG" != firefox ]`;
    await using workspace = await create(`${isFirefox} && ${MAKE}`);
    const { err } = await gatelineIn(workspace, 'run', '-q');
    expect(err).not.toContain('ENTITY_BUSY');
    for (const leg of ['chrome', 'firefox']) {
      const { out } = await gatelineIn(workspace, 'show', `read/${leg}`, 'output');
      expect(JSON.parse(out)).toMatchObject({ instance: leg, output: { leg } });
    }
    // The leg that failed has used up its page all the same.
    expect(await pages(workspace)).toEqual({ chrome: 'invalid', firefox: 'invalid' });
    // Only its own creator runs again for it.
    const { out } = await gatelineIn(workspace, 'plan', '--json');
    const planned = JSON.parse(out) as { gates: { key: string; choice: string; reason: string }[] };
    const choices = Object.fromEntries(planned.gates.map(({ key, choice, reason }) => [key, `${choice}: ${reason}`]));
    expect(choices['open/firefox']).toBe('run: page is not valid, close/firefox needs it');
    expect(choices['open/chrome']).not.toContain('run');
  }, 60_000);

  it('are refused where another gate uses the entity and neither needs the other', async () => {
    const both = { a: legs({ run: MAKE, creates: 'page' }), b: legs({ run: READ, requires: 'page' }) };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(both, { entities: { page: null } }),
    });
    const { code, err, out } = await gatelineIn(workspace, 'validate');
    expect(code).not.toBe(0);
    expect(err + out).toContain('ENTITY_UNORDERED');
  });
});
