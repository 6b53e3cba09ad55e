import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { exportSkill, leftOutOfSkill } from '../../../src/formats/uasp/export-skill.ts';
import { importSkills } from '../../../src/formats/uasp/import-skills.ts';
import { parseSkill, type UaspSkill } from '../../../src/formats/uasp/skill.ts';
import { definePipeline } from '../../../src/local/define-pipeline.ts';

function fixture(name: string): UaspSkill {
  const file = `${name}.uasp.yaml`;
  return parseSkill(readFileSync(new URL(`../../fixtures/uasp/${file}`, import.meta.url), 'utf8'), file);
}

const GATES = { gates: { none: {} } };

describe('a skill of UASP', () => {
  it('becomes entities and commands; differences are united, and named', () => {
    const { entities, commands, warnings } = importSkills([fixture('agent-browser')]);
    expect(entities).toEqual({
      session: { format: '{session_id}', properties: ['id', 'user', 'expires_at'] },
      refs: { format: '@e{n}' },
      page_state: {},
    });
    expect(commands).toEqual({
      connect: { syntax: 'node skill.mjs connect', creates: ['session'] },
      login: { syntax: 'node skill.mjs login', creates: ['session'] },
      logout: { syntax: 'node skill.mjs logout', requires: ['session'], invalidates: ['session'] },
      disconnect: { syntax: 'node skill.mjs disconnect', invalidates: ['session'] },
      snapshot: { syntax: 'node skill.mjs snapshot', creates: ['refs', 'page_state'] },
      click: { syntax: 'node skill.mjs click <ref>', requires: ['refs'], invalidates: ['refs', 'page_state'] },
      navigate: { syntax: 'node skill.mjs navigate <url>', invalidates: ['refs'] },
    });
    expect(warnings).toEqual([
      'agent-browser: created_by of session has login, whose `creates` has not: united',
      'agent-browser: created_by of session has connect, whose `creates` has not: united',
      'agent-browser: invalidated_by of session has logout, whose `invalidates` has not: united',
      'agent-browser: invalidated_by of session has disconnect, whose `invalidates` has not: united',
      'agent-browser: timeout is no command but an event: `gateline entities invalidate session --reason timeout` records it',
      'agent-browser: type is no command but an event: `gateline entities invalidate refs --reason type` records it',
      'agent-browser: the optional parts of navigate are left out: `node skill.mjs navigate <url> [--wait]`',
    ]);
  });

  it.each(['agent-browser', 'authentication', 'pool', 'db'])('%s is a sound definition, and comes back', (name) => {
    const { entities, commands } = importSkills([fixture(name)]);
    const { resources } = definePipeline({ entities, commands, ...GATES });
    const again = parseSkill(stringify(exportSkill(name, resources!)), `${name}.uasp.yaml`);
    expect(importSkills([again])).toEqual({ entities, commands, warnings: [] });
  });

  it('says what goes with an entity, and names what it cannot say', () => {
    const entities = {
      connection: { lifetime: '30m' },
      session: { 'depends-on': 'connection' },
      tx: { 'depends-on': 'session' },
    };
    const commands = {
      begin: { syntax: 'b', requires: 'session', creates: 'tx', setup: false },
      disconnect: { syntax: 'd', invalidates: 'connection' },
    };
    const { resources } = definePipeline({ entities, commands, ...GATES });
    const skill = parseSkill(stringify(exportSkill('db', resources!)), 'db.uasp.yaml');
    expect(skill.commands.get('disconnect')!.invalidates).toEqual(['connection', 'session', 'tx']);
    expect(leftOutOfSkill(resources!)).toEqual(['lifetime of connection', 'setup of begin']);
  });

  it('has the name of its file, and a syntax that is a guess, if it says neither', () => {
    const { name } = fixture('authentication');
    expect(name).toBe('authentication');
    const { commands, warnings } = importSkills([fixture('authentication')]);
    expect(commands['login']).toMatchObject({ syntax: 'authentication login' });
    expect(warnings).toContain('authentication: login has no syntax: `authentication login` is a guess');
  });

  it('gets its name before names that another one has, too', () => {
    const both = importSkills([fixture('agent-browser'), fixture('authentication')]);
    expect(Object.keys(both.commands)).toContain('agent-browser-connect');
    expect(Object.keys(both.commands)).toContain('authentication-connect');
    expect(Object.keys(both.commands)).toContain('snapshot');
    expect(both.warnings).toContain('authentication: connect is called authentication-connect');
    expect(() => definePipeline({ ...both, warnings: undefined, ...GATES })).not.toThrow();
  });

  it.each([
    ['[', 'SKILL_INVALID'],
    ['state: {entities: [{format: x}]}', 'SKILL_INVALID'],
    ['commands: 3', 'SKILL_INVALID'],
    ['- a', 'SKILL_INVALID'],
  ])('is refused with its problem: %s', (text, code) => {
    expect(() => parseSkill(text, 'x.uasp.yaml')).toThrow(expect.objectContaining({ code }));
  });

  it('keeps names apart that become one id, and quotes what a person may copy', () => {
    const text = 'name: s\nstate: {entities: [{name: "a/b", created_by: ["$(x)"]}, {name: "a b"}]}\n';
    const { entities, warnings } = importSkills([parseSkill(text, 's.uasp.yaml')]);
    expect(Object.keys(entities)).toEqual(['a_b', 'a_b-2']);
    expect(warnings).toContain(
      "s: $(x) is no command but an event: `gateline entities create a_b --reason '$(x)'` records it",
    );
  });

  it('has each entity that a command requires, also one that it does not list', () => {
    const text = `
state: {entities: [{name: refs}]}
commands:
  snapshot: {syntax: s, creates: [refs, page_state]}
  read: {syntax: r, requires: [page_state, user]}
  close: {syntax: c, invalidates: [refs, page_state, window]}`;
    const { entities, commands, warnings } = importSkills([parseSkill(text, 'x.yaml')]);
    expect(Object.keys(entities)).toEqual(['refs', 'page_state', 'user']);
    expect(commands).toMatchObject({
      read: { requires: ['page_state', 'user'] },
      close: { invalidates: ['refs', 'page_state'] },
    });
    expect(warnings).toEqual([
      'x: page_state is not under state.entities: added',
      'x: user is not under state.entities: added',
      'x: close names window, which is no entity: left out',
    ]);
  });

  it('leaves out a format that names nothing', () => {
    const text = 'state: {entities: [{name: refs, format: "r_{id"}]}\ncommands: {a: {syntax: a, creates: [refs]}}';
    const { entities, commands, warnings } = importSkills([parseSkill(text, 'x.yaml')]);
    expect(entities).toEqual({ refs: {} });
    expect(warnings).toContain('x: the format of refs is left out: `r_{id` does not close each `{`');
    expect(() => definePipeline({ entities, commands })).not.toThrow();
  });

  it('keeps all names apart, and names events as gateline.yml has them', () => {
    const text = `
meta: {name: Pool}
state: {entities: [{name: My Lease, created_by: [take], invalidated_by: [timeout]}, {name: my_lease, created_by: [take]}]}
commands: {take: {syntax: take}}`;
    const { entities, commands, warnings } = importSkills([parseSkill(text, 'x.yaml'), parseSkill(text, 'y.yaml')]);
    expect(Object.keys(entities)).toEqual(['pool-my_lease', 'pool-my_lease-2', 'pool-my_lease-3', 'pool-my_lease-4']);
    expect(commands).toEqual({
      'pool-take': { syntax: 'take', creates: ['pool-my_lease', 'pool-my_lease-2'] },
      'pool-take-2': { syntax: 'take', creates: ['pool-my_lease-3', 'pool-my_lease-4'] },
    });
    expect(warnings.filter((one) => one.includes('event'))).toEqual([
      'Pool: timeout is no command but an event: `gateline entities invalidate pool-my_lease --reason timeout` records it',
      'Pool: timeout is no command but an event: `gateline entities invalidate pool-my_lease-3 --reason timeout` records it',
    ]);
  });

  it('keeps brackets in quotes, which are no optional parts, and writes them so', () => {
    const skill = parseSkill(`commands: {a: {syntax: 's "[name=q]" [--wait "x y"]'}, "b c]": {}}`, 'x.yaml');
    const { commands, warnings } = importSkills([skill]);
    expect(commands).toEqual({ a: { syntax: 's "[name=q]"' }, b_c_: { syntax: "x 'b c]'" } });
    expect(warnings).toContain('x: the optional parts of a are left out: `s "[name=q]" [--wait "x y"]`');
    const { resources } = definePipeline({ commands, ...GATES });
    expect(resources!.commands[0]!.words).toEqual([{ text: 's' }, { text: '[name=q]' }]);
    expect(exportSkill('x', resources!)).toMatchObject({ commands: { a: { syntax: "s '[name=q]'" } } });
  });

  it('gets its name before entities that two skills use and neither lists', () => {
    const skill = (name: string): UaspSkill =>
      parseSkill(`{meta: {name: ${name}}, commands: {open-${name}: {syntax: x, creates: page}}}`, 'x.yaml');
    const { entities, commands } = importSkills([skill('a'), skill('b')]);
    expect(Object.keys(entities)).toEqual(['a-page', 'b-page']);
    expect(commands).toMatchObject({ 'open-a': { creates: ['a-page'] }, 'open-b': { creates: ['b-page'] } });
  });

  it.each([
    ['commands: {a: {creates: [1]}}', '/commands/a/creates: expected a name, or a list of names'],
    ['commands: []', '/commands: expected a map, found an empty list'],
  ])('says what it expects in the place of %s', (text, expected) => {
    expect(() => parseSkill(text, 'x.yaml')).toThrow(expected);
  });

  it('leaves out a command that needs a shell', () => {
    const skill = parseSkill('commands: {a: {syntax: "x | y"}, B c: {syntax: x, creates: [gone]}}', 'x.yaml');
    const { entities, commands, warnings } = importSkills([skill]);
    expect(entities).toEqual({ gone: {} });
    expect(commands).toEqual({ b_c: { syntax: 'x', creates: ['gone'] } });
    expect(warnings).toEqual([
      'x: gone is not under state.entities: added',
      'x: a is left out: there is no shell that understands `|`',
      'x: B c is called b_c',
    ]);
  });

  it('names what is not about state: the first parts of it, and how many more there are', () => {
    const text = `
uasp: '1.0'
meta: {name: pool, version: 1.0.0}
state: {mode: strict, entities: [{name: lease, format: 'l{id}', ttl: 30}]}
commands:
  take: {syntax: take, creates: [lease], args: [{name: kind}], description: Takes a lease}
  free: {syntax: free, invalidates: lease, flags: {}, args: [], example: x}
triggers: [lease]
`;
    const { warnings } = importSkills([parseSkill(text, 'pool.uasp.yaml')]);
    expect(warnings).toEqual([
      'pool: not about state, and left out: uasp, triggers, meta.version, state.mode, lease.ttl, take.args, take.description, free.flags and 2 more',
    ]);
    expect(importSkills([parseSkill('commands: {take: {syntax: take}}', 'pool.uasp.yaml')]).warnings).toEqual([]);
  });

  it('keeps an entity with a name that no map can have', () => {
    const text = 'state: {entities: [{name: __proto__}]}\ncommands: {a: {syntax: x, requires: [__proto__]}}';
    const { entities, commands } = importSkills([parseSkill(text, 'x.yaml')]);
    expect(Object.keys(entities)).toEqual(['_proto_']);
    expect(commands).toEqual({ a: { syntax: 'x', requires: ['_proto_'] } });
  });
});
