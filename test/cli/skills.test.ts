import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { definePipeline } from '../../src/local/define-pipeline.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline } from './in-process.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/uasp/${name}.uasp.yaml`, import.meta.url));

describe('gateline entities import', () => {
  it('prints skills for gateline.yml and what they would make runnable, and starts nothing', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const from = ['pool', 'db'].flatMap((name) => ['--from', fixture(name)]);
    const { code, out, err } = await gateline(workspace.root, ['entities', 'import', ...from]);
    expect(code).toBe(0);
    const { entities, commands } = parse(out) as { entities: object; commands: object };
    expect(Object.keys(commands)).toEqual(['acquire', 'use', 'release', 'begin', 'commit', 'rollback']);
    expect(() => definePipeline({ entities, commands, gates: { none: {} } })).not.toThrow();
    expect(err).toContain('`gateline do acquire` would run: pool acquire <type>\n');
    expect(err).toContain('`gateline do rollback` would run: db rollback\n');
  });

  it('shows what a terminal would act on, and writes it to a file', async () => {
    const skill = String.raw`commands: {a: {syntax: "echo \u009b31m\u202e"}}`;
    await using workspace = await ScratchWorkspace.create({ 'x.uasp.yaml': skill });
    const run = (interactive: boolean) =>
      gateline(workspace.root, ['entities', 'import', '--from', 'x.uasp.yaml'], { screen: { interactive } });
    expect((await run(true)).out).toContain(String.raw`echo \u009b31m<U+202E>`);
    const { commands } = parse((await run(false)).out) as { commands: object };
    expect(commands).toEqual({ a: { syntax: 'echo \u009b31m\u202e' } });
  });

  it('names a file that cannot be read, or is missing', async () => {
    await using workspace = await ScratchWorkspace.create({ 'bad.yaml': '[', x: '' });
    const run = (...args: string[]) => gateline(workspace.root, ['entities', 'import', ...args]);
    expect((await run('--from', 'none.yaml')).err).toContain('INPUT_INVALID: none.yaml cannot be read');
    expect((await run('--from', 'bad.yaml')).err).toContain('SKILL_INVALID: bad.yaml:1:2');
    expect((await run()).err).toContain('--from FILE is missing');
  });
});

describe('gateline entities export', () => {
  it('prints the definition as a skill', async () => {
    const definition = {
      pipeline: 'p',
      entities: { session: { format: '{id}', lifetime: '30m' } },
      commands: { login: { syntax: `node x.mjs "two words" <user>`, creates: 'session', returns: 'id' } },
      gates: { check: {} },
    };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition) });
    const { out } = await gateline(workspace.root, ['entities', 'export', '--json']);
    const entity = { name: 'session', format: '{id}', created_by: ['login'], invalidated_by: [] };
    expect(JSON.parse(out)).toEqual({
      meta: { name: 'p' },
      state: { entities: [entity] },
      commands: { login: { syntax: "node x.mjs 'two words' <user>", creates: ['session'], returns: 'id' } },
    });
    expect(parse((await gateline(workspace.root, ['entities', 'export'])).out)).toEqual(JSON.parse(out));
  });
});
