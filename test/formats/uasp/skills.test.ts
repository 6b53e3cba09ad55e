import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { exportSkill } from '../../../src/formats/uasp/export-skill.ts';
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
    expect(Object.keys(entities)).toEqual(['a_b', 'a_b_2']);
    expect(warnings).toContain(
      "s: $(x) is no command but an event: `gateline entities create a_b --reason '$(x)'` records it",
    );
  });

  it('leaves out a command that needs a shell', () => {
    const skill = parseSkill('commands: {a: {syntax: "x | y"}, B c: {syntax: x, creates: [gone]}}', 'x.yaml');
    const { commands, warnings } = importSkills([skill]);
    expect(commands).toEqual({ b_c: { syntax: 'x' } });
    expect(warnings).toEqual([
      'x: B c names gone, which is no entity: left out',
      'x: a is left out: there is no shell that understands `|`',
      'x: B c is called b_c',
    ]);
  });
});
