import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { definitionKeys, readManifest, readSkill, skillNotes, writeSkill } from '../../src/formats/uasp.ts';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import type { CommandDefinition, EntityDefinition } from '../../src/pipeline/pipeline.ts';
import { SKILL } from './uasp-example.ts';

describe('a skill', () => {
  it('is written in its own style, with both sides of each effect', () => {
    expect(writeSkill(readSkill(parse(SKILL)))).toBe(`name: agent-browser
state:
  entities:
    - name: session
      format: "{session_id}"
      created_by: [login]
      invalidated_by: [logout]
      properties: [id, user, expires_at]
    - name: refs
      format: "@e{n}"
      created_by: [snapshot]
      invalidated_by: [click]
    - name: page_state
      created_by: [snapshot]
      invalidated_by: [click]
commands:
  login:
    syntax: agent-browser login
    creates: [session]
  snapshot:
    syntax: agent-browser snapshot
    creates: [refs, page_state]
  click:
    syntax: agent-browser click <ref>
    requires: [refs]
    invalidates: [refs, page_state]
  logout:
    syntax: agent-browser logout
    invalidates: [session]
`);
  });

  it('becomes the keys of a definition; what has no key is named', () => {
    const skill = readSkill(parse(SKILL));
    const parsed = parsePipeline(definitionKeys(skill), 'gateline.yml');
    expect(parsed).toMatchObject({ ok: true, warnings: [], pipeline: skillPart(skill) });
    expect(skillNotes(parse(SKILL))).toEqual([
      'connect creates session and is no command: `gateline entities set session valid`',
      'disconnect invalidates session and is no command: `gateline entities set session invalid`',
      'timeout invalidates session and is no command: `gateline entities set session invalid`',
      'navigate invalidates refs and is no command: `gateline entities set refs invalid`',
      'type invalidates refs and is no command: `gateline entities set refs invalid`',
      'session has expires_at: `expires-at: /expires_at` lets it expire',
      'optional parts of logout are left out: agent-browser logout [--all]',
    ]);
  });

  it('names what becomes invalid by dependence in each command', () => {
    const use = { requires: [], creates: [], onInvalid: 'fail', setup: true, timeoutMinutes: 60 } as const;
    const entityOf = (dependsOn: string[]) => ({ format: undefined, properties: [], dependsOn, expiresAt: undefined });
    const text = writeSkill({
      name: 'db',
      entities: { connection: entityOf([]), session: entityOf(['connection']), transaction: entityOf(['session']) },
      commands: { disconnect: { ...use, syntax: 'db off', invalidates: ['connection'], returns: undefined } },
    });
    expect(text).toContain('    invalidates: [connection, session, transaction]\n');
  });

  it('gives back what was written, for any entities and commands', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const ids = ['session', 'refs', 'page_state', 'constructor', 'null', '0x1'];
    const names = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 3 });
    const entity = fc.record<EntityDefinition>({
      format: fc.option(text, { nil: undefined }),
      properties: fc.array(text, { maxLength: 2 }),
      dependsOn: fc.constant([]),
      expiresAt: fc.constant(undefined),
    });
    const command = fc.record<CommandDefinition>({
      syntax: fc.stringMatching(/^[a-z"'<>: #{}&*!|-]{1,30}$/).map((syntax) => syntax.trim() || 'x'),
      requires: names,
      creates: names,
      invalidates: names,
      onInvalid: fc.constant('fail'),
      returns: fc.option(text, { nil: undefined }),
      setup: fc.constant(true),
      timeoutMinutes: fc.constant(60),
    });
    const entities = fc
      .tuple(...ids.map(() => entity))
      .map((all) => Object.fromEntries(ids.map((id, at) => [id, all[at]!])));
    fc.assert(
      fc.property(entities, fc.dictionary(fc.constantFrom('login', 'on', 'toString'), command), (of, commands) => {
        const skill = { name: 'any', entities: of, commands: { ...commands } };
        expect(readSkill(parse(writeSkill(skill)))).toEqual(skill);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a manifest', () => {
  const states = { refs: { valid: true, has_value: true }, session: { valid: false, has_value: false } };
  it('has the status of each entity of a skill', () => {
    const manifest = { loaded_skills: [{ name: 'agent-browser', state: states }] };
    expect(readManifest(manifest, 'agent-browser')).toEqual(states);
    expect(readManifest({ name: 'x' }, 'x')).toBeUndefined();
    expect(() => readManifest({ loaded_skills: [{ name: 'x', state: { a: 1 } }] }, 'x')).toThrow(
      '/loaded_skills/0/state/a: ',
    );
  });
});

function skillPart({ entities, commands }: ReturnType<typeof readSkill>) {
  return { entities, commands };
}
