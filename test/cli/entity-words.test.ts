import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StartedRecord } from '../../src/run/records/record.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, writes, type Answer } from './in-process.ts';

const DEFINITION = {
  pipeline: 'p',
  entities: {
    resource: { format: 'resource_{id}' },
    lease: null,
    seat: { format: '{seat_id}', properties: ['seat_id', 'row'] },
    ghost: null,
    server: { lifetime: 'machine' },
    session: { lifetime: '/expires_at', margin: '5m' },
    hits: { format: 'hit_{n}' },
    slot: { format: 'slot_{id}', lifetime: '/until', margin: '5m' },
    short: { lifetime: '30m', 'depends-on': 'session' },
  },
  commands: {
    acquire: { syntax: 'echo <id>', creates: 'resource' },
    use: { syntax: 'echo <resource_id>', requires: 'resource' },
    release: { syntax: 'echo <resource_id>', requires: 'resource', invalidates: 'resource' },
    drop: { syntax: 'echo <resource_id>', invalidates: 'resource' },
    sit: { syntax: 'test -n <seat_id>', creates: 'seat' },
    stand: { syntax: 'echo <seat_id>', requires: 'seat', invalidates: 'seat' },
    rent: { syntax: 'echo', requires: 'lease' },
    haunt: { syntax: 'echo', requires: ['ghost', 'resource'] },
    serve: { syntax: 'echo', creates: 'server', leaves: 'processes' },
    login: { syntax: 'echo <value>', creates: 'session' },
    whoami: { syntax: 'echo', requires: 'session' },
    find: { syntax: 'echo []', creates: 'hits' },
    book: { syntax: 'echo <value>', creates: 'slot' },
    enter: { syntax: 'echo <id>', requires: 'slot' },
    visit: { syntax: 'echo', requires: 'hits', 'on-invalid': 'recover' },
  },
  gates: { reserve: { run: writes({}), shell: 'sh', inputs: [], creates: 'lease', secrets: ['SEAT'] } },
};
const SECRET = 'seat-4711-of-maria';

let workspace: ScratchWorkspace;
beforeAll(async () => {
  workspace = await ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(DEFINITION, null, 2) });
});
afterAll(() => workspace[Symbol.asyncDispose]());

let subject = 0;
function fresh(): (...args: string[]) => Promise<Answer> {
  subject += 1;
  const name = `s${subject}`;
  return (...args) => gateline(workspace.root, [...args, '--subject', name]);
}

async function pool(): Promise<(...args: string[]) => Promise<Answer>> {
  const run = fresh();
  for (const id of [1, 2]) await run('do', 'acquire', '--arg', `id=resource_${id}`);
  return run;
}

describe('a definition without gates', () => {
  it('has its commands run, and nothing else', async () => {
    const text = 'pipeline: skill\nentities: {page: }\ncommands: {open: {syntax: echo opened, creates: page}}\n';
    await using own = await ScratchWorkspace.create({ 'gateline.yml': text });
    const run = (...args: string[]): Promise<Answer> => gateline(own.root, args);
    expect((await run('validate')).out).toBe('skill is valid: 1 command, no gates. `gateline do COMMAND` runs one.\n');
    expect(await run('do', 'open')).toMatchObject({ code: 0, out: 'opened\n' });
    expect((await run('entities')).out).toMatch(/page +valid +open/);
    expect((await run('doctor')).code).toBe(0);
    for (const command of ['run', 'plan', 'status', 'compile']) {
      const { code, err } = await run(command);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining('GATES_NONE: skill has no gates\n  `gateline do COMMAND`'),
      ]);
    }
  });
});

describe('what is not valid', () => {
  it('is named with what creates it', async () => {
    const run = fresh();
    expect((await run('do', 'use', '--arg', 'resource_id=resource_1')).err).toContain(
      '`gateline do acquire --arg id=VALUE` creates resource.',
    );
    expect((await run('do', 'rent')).err).toContain('gate reserve creates lease.');
    expect((await run('do', 'haunt')).err).toContain(
      'Nothing creates ghost: `gateline entities create ghost --reason TEXT` records that it exists. `gateline do acquire',
    );
  });

  it('is named as the instance that an argument asks for, with those that are valid', async () => {
    const run = await pool();
    const refused = await run('do', 'use', '--arg', 'resource_id=resource_9');
    expect(refused.err).toContain("STATE_INVALID: Required state 'resource' is not valid");
    expect(refused.err).toContain('use needs resource/resource_9. Valid: resource_1, resource_2.');
  });

  it('says why, where nothing made it invalid', async () => {
    const run = fresh();
    const served = await run('do', 'serve');
    expect(served.err).toContain('server, created by serve: no process was left that runs, so it is not valid');
    const reasons = async (): Promise<Record<string, string | null>> => {
      const { entities } = JSON.parse((await run('entities', '--json')).out) as {
        entities: { entity: string; reason: string | null }[];
      };
      return Object.fromEntries(entities.map(({ entity, reason }) => [entity, reason]));
    };
    const login = (expires: number | string): Promise<Answer> =>
      run('do', 'login', '--arg', `value=${JSON.stringify({ expires_at: expires })}`);
    await login(Date.now() / 1000 + 60);
    expect(await reasons()).toMatchObject({
      server: 'none of its processes runs',
      session: expect.stringMatching(/^its life ends at .*, which is within its margin$/) as string,
    });
    expect((await login(1_000_000_000)).err).toBe(
      'note: session, created by login: its life ended at 2001-09-09T01:46:40.000Z, so it is not valid\n',
    );
    expect(await reasons()).toMatchObject({ session: 'its life ended at 2001-09-09T01:46:40.000Z' });
    expect((await login('soon')).err).toContain('no time can be read at /expires_at of its value, so it is not valid');
    await run('entities', 'create', 'short', '--reason', 'x');
    expect(await reasons()).toMatchObject({
      session: expect.stringContaining('no time can be read at /expires_at of its value') as string,
      short: 'what it was created from is over',
    });
    await login(32_503_680_000);
    expect((await run('entities', 'show', 'session')).out).toContain('until 3000-01-01T00:00:00.000Z');
  });
});

describe('a command that is refused', () => {
  it('says what became of what it requires, also to `check`, and not only how to create it', async () => {
    const run = await pool();
    await run('do', 'release', '--arg', 'resource_id=resource_1');
    const use = ['use', '--arg', 'resource_id=resource_1'];
    const why = 'resource/resource_1: release made it invalid. use needs resource/resource_1. Valid: resource_2.';
    expect((await run('do', ...use)).err).toContain(why);
    expect((await run('entities', 'check', ...use)).out).toContain(why);
    await run('entities', 'create', 'lease', '--reason', 'x');
    await run('entities', 'invalidate', 'lease', '--reason', 'taken away.', '--actor', 'maria');
    expect((await run('do', 'rent')).err).toContain('lease: maria made it invalid: taken away. gate reserve creates');
    expect((await run('entities', 'check', 'rent')).out).toBe(
      'rent requires what is not valid: lease\n  lease: maria made it invalid: taken away. gate reserve creates lease.\n',
    );
  });

  it('does not ask for what has just run for it', async () => {
    const visited = await fresh()('do', 'visit');
    expect(visited.err).toContain("Required state 'hits' is not valid\n  find ran first, and did not make it valid.\n");
  });

  it('says that a life is too short, and `show` says when it ends', async () => {
    const run = fresh();
    await run('do', 'login', '--arg', `value={"expires_at":${Math.floor(Date.now() / 1_000) + 60}}`);
    expect((await run('do', 'whoami')).err).toMatch(/session: its life ends at \S+Z, which is within its margin\. /);
    expect((await run('entities')).out).toContain('Z, which is within its margin\n');
  });

  it('names an instance that is not there', async () => {
    const { out } = await (await pool())('entities', 'show', 'resource/7');
    expect(out).toBe('There is no resource/7. `gateline entities show resource` lists the instances.\n');
  });
});

describe('a change of an instance', () => {
  it('says that there is none of that name', async () => {
    const run = await pool();
    const why = ['--reason', 'x'];
    const invalidate = (name: string): Promise<Answer> => run('entities', 'invalidate', name, ...why);
    expect((await invalidate('resource/9')).err).toBe('note: there is no resource/resource_9\n');
    expect((await invalidate('resource/resource_1')).err).toBe('');
    expect((await run('entities', 'invalidate')).err).toContain('`gateline help entities`');
    const drop = async (id: string): Promise<string> => (await run('do', 'drop', '--arg', `resource_id=${id}`)).err;
    expect(await drop('typo')).toBe('note: there is no resource/resource_typo\n');
    expect(await drop('1')).toBe('');
    for (const id of ['', 'x'.repeat(201)]) {
      expect(await drop(id)).toContain('COMMAND_ARGUMENT_REFUSED: drop: the argument resource_id is ');
      const apply = ['entities', 'apply', 'drop', '--arg', `resource_id=${id}`, '--reason', 'x'];
      expect((await run(...apply)).err).toContain('COMMAND_ARGUMENT_REFUSED');
    }
    const { entities } = JSON.parse((await run('entities', '--json')).out) as { entities: object[] };
    expect(entities).toContainEqual(expect.objectContaining({ instance: 'resource_2', status: 'valid' }));
  });
});

describe('a list of instances that have a time each', () => {
  it('has each end at its own', async () => {
    const run = fresh();
    const book = (...until: (number | string)[]): Promise<Answer> =>
      run('do', 'book', '--arg', `value=${JSON.stringify(until.map((one, id) => ({ id, until: one })))}`);
    const enter = async (id: number): Promise<number> => (await run('do', 'enter', '--arg', `id=${id}`)).code;
    const now = Date.now() / 1000;
    expect((await book(now + 3_600, now + 60, 'soon', 1_000_000_000)).err).toBe('');
    expect([await enter(0), await enter(1), await enter(2), await enter(3)]).toEqual([0, 1, 1, 1]);
    expect((await book(now + 60, 1_000_000_000)).err).toMatch(
      /^note: slot, created by book: its life ends at .* margin/,
    );
    expect(await enter(0)).toBe(1);
  });

  it('ends with a time of the list, where the pointer leads to one', async () => {
    const { slot } = DEFINITION.entities;
    const text = JSON.stringify({
      ...DEFINITION,
      entities: { ...DEFINITION.entities, slot: { ...slot, lifetime: '/1/until' } },
    });
    await using own = await ScratchWorkspace.create({ 'gateline.yml': text });
    const value = JSON.stringify([
      { id: 0, until: 1 },
      { id: 1, until: Date.now() + 3_600_000 },
    ]);
    expect(await gateline(own.root, ['do', 'book', '--arg', `value=${value}`])).toMatchObject({ code: 0, err: '' });
    expect(await gateline(own.root, ['do', 'enter', '--arg', 'id=0'])).toMatchObject({ code: 0 });
  });
});

describe('an instance that a person names', () => {
  it('is found and created by what is in its place, as with an argument', async () => {
    const run = await pool();
    expect((await run('entities', 'show', 'resource/1')).out).toMatch(/^resource\/resource_1 +valid/m);
    const why = ['--reason', 'x', '--actor', 'maria'];
    const gone = await run('entities', 'invalidate', 'resource/1', ...why);
    expect([gone.out, gone.err]).toEqual(['resource/resource_1: invalidate by maria\n', '']);
    expect((await run('do', 'use', '--arg', 'resource_id=1')).code).toBe(1);
    const made = await run('entities', 'create', 'resource/8', ...why);
    expect(made.out).toBe('resource/resource_8: create by maria\n');
    expect((await run('do', 'use', '--arg', 'resource_id=8')).code).toBe(0);
    expect((await run('entities', 'show', 'resource_8')).err).toContain('The instance is `resource/resource_8`.');
  });

  it('is shown with the value that it has in common with others, once', async () => {
    const run = fresh();
    await run('do', 'acquire', '--arg', 'id=["resource_1","resource_2"]');
    await run('do', 'acquire', '--arg', 'id="resource_3"');
    const { out } = await run('entities', 'show', 'resource');
    expect(out.slice(out.indexOf('\n['))).toBe('\n[\n  "resource_1",\n  "resource_2"\n]\n"resource_3"\n');
  });

  it('is refused without a name, which would be all of them, and with one that is too long', async () => {
    const run = await pool();
    for (const [name, code] of [
      ['resource/', 'OPTION_VALUE'],
      [`resource/${'x'.repeat(201)}`, 'ENTITY_NOT_DEFINED'],
      [`resource/${'x'.repeat(195)}`, 'ENTITY_NOT_DEFINED'],
    ] as const)
      for (const action of ['create', 'invalidate', 'reset']) {
        const refused = await run('entities', action, name, '--reason', 'x');
        expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(code)]);
      }
    expect((await run('do', 'use', '--arg', 'resource_id=1')).code).toBe(0);
  });
});

describe('an instance that a secret names', () => {
  it('is found again, and its name is stored nowhere', async () => {
    const environment = { ...plainEnvironment(), SEAT: SECRET };
    const run = (...args: string[]): Promise<Answer> =>
      gateline(workspace.root, [...args, '--subject', 'secret'], { environment });
    const seat = ['--arg', `seat_id=${SECRET}`];
    expect((await run('do', 'sit', ...seat)).code).toBe(0);
    expect((await run('do', 'stand', ...seat)).code).toBe(0);
    expect((await run('do', 'stand', ...seat)).code).toBe(1);
    expect((await run('entities', 'apply', 'sit', '--reason', 'x', ...seat)).code).toBe(0);
    expect((await run('entities', 'check', 'stand', ...seat)).code).toBe(0);
    const left = ['entities', 'invalidate', `seat/${SECRET}`, '--reason', `${SECRET} is free`];
    expect(await run(...left)).toMatchObject({ code: 0, err: '' });
    expect((await run('entities', 'check', 'stand', ...seat)).code).toBe(1);
    const files = await readdir(join(workspace.root, '.state'), { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile()))
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(SECRET);
  });
});

describe('a text that is a command for the runner of a job', () => {
  it('begins no line, whether it is a reason or names an instance', async () => {
    const run = (...args: string[]): Promise<Answer> => gateline(workspace.root, [...args, '--subject', 'runner']);
    const seat = ['--arg', 'seat_id=a\n::error::seat'];
    expect((await run('do', 'sit', ...seat)).code).toBe(0);
    expect((await run('entities', 'invalidate', 'seat', '--reason', 'left\n ::error::##[error]reason')).code).toBe(0);
    const { code, err } = await run('do', 'stand', ...seat);
    expect([code, err]).toEqual([1, expect.stringContaining('left ::error::## [error]reason')]);
    expect(err).not.toMatch(/^\s*::/m);
  });
});

describe('gateline entities create', () => {
  it('says which properties the value lacks', async () => {
    const value = ['create', 'seat', '--value', '-', '--reason', 'x', '--actor', 'maria'];
    const { code, err, out } = await gateline(workspace.root, ['entities', ...value], { stdin: '{"seat_id": "a1"}' });
    expect([code, out]).toEqual([0, 'seat/a1: create by maria\n']);
    expect(err).toBe('note: seat, created by maria: its value has no row\n');
  });
});

describe('gateline entities with --arg', () => {
  it('checks the instance that an argument names', async () => {
    const run = await pool();
    const check = (id: string): Promise<Answer> => run('entities', 'check', 'use', '--arg', `resource_id=${id}`);
    expect((await check('resource_1')).code).toBe(0);
    expect((await check('resource_9')).code).toBe(1);
    expect((await run('entities', 'check', 'use', '--arg', 'other=1')).code).toBe(2);
    expect((await run('entities', 'show', 'resource', '--arg', 'id=1')).code).toBe(2);
  });

  it('applies a command to that instance alone', async () => {
    const run = await pool();
    const args = ['--arg', 'resource_id=resource_1', '--reason', 'x', '--actor', 'maria'];
    expect((await run('entities', 'apply', 'release', ...args)).out).toBe('resource/resource_1: invalidate by maria\n');
    expect((await run('do', 'use', '--arg', 'resource_id=resource_2')).code).toBe(0);
    expect((await run('do', 'use', '--arg', 'resource_id=resource_1')).code).toBe(1);
  });
});

describe('a command that has not ended', () => {
  it.each([
    ['in a container that is gone', 'container', 0],
    ['in a process that runs', undefined, 75],
  ])('%s, and whose entity is reset', async (_, host, code) => {
    const named = ['--subject', `gone ${host}`];
    const run = (...args: string[]) => gateline(workspace.root, [...args, ...named]);
    expect((await run('do', 'login', '--arg', 'value=x')).code).toBe(0);
    const folders = await readdir(join(workspace.root, '.state/runs'));
    const folder = join(
      workspace.root,
      '.state/runs',
      folders.find((one) => one.startsWith(`gone-${host}`))!,
      '0',
    );
    const name = (await readdir(folder)).find((one) => one.endsWith('.1.started.json'))!;
    const claim = JSON.parse(await readFile(join(folder, name), 'utf8')) as StartedRecord;
    const by = { ...claim.by, ...(host !== undefined && { host }) };
    const uses = { requires: [{ entity: 'session', instance: '' }], invalidates: [], creates: [] };
    const open = { ...claim, n: 2, by, entities: { ...uses, order: 2 } };
    await writeFile(join(folder, name.replace('.1.started', '.2.started')), JSON.stringify(open));
    const refused = await run('do', 'login', '--arg', 'value=x');
    expect(refused.code).toBe(75);
    expect(refused.err.includes('`gateline entities reset session --reason TEXT`')).toBe(host !== undefined);
    expect((await run('entities', 'reset', 'session', '--reason', 'x')).code).toBe(0);
    const again = await run('do', 'login', '--arg', 'value=x');
    expect(again.code, again.err).toBe(code);
  });
});

describe('an instance with lines in its name', () => {
  it('is one line where it is listed', async () => {
    const run = fresh();
    const made = await run('do', 'acquire', '--arg', `id=resource_1\n::error::${'x'.repeat(150)}`);
    expect(made.code).toBe(0);
    const { err } = await run('do', 'use', '--arg', 'resource_id=2\n::error::y');
    expect(err).toContain('use needs resource/resource_2 ::error::y. Valid: resource_1 ::error::x');
    expect(err).not.toMatch(/^\s*::/m);
    expect(err).not.toContain('x'.repeat(80));
  });
});

describe('a value with characters that a terminal acts on', () => {
  const value = JSON.stringify({ id: '\u009b31m\u202e' });
  it.each([
    ['a terminal', true, '<U+009B>31m<U+202E>'],
    ['a file', false, '\u009b31m\u202e'],
  ])('is shown to %s', async (_, interactive, expected) => {
    const named = ['lease', '--subject', `terminal ${interactive}`];
    const create = ['entities', 'create', ...named, '--value', '-', '--reason', 'x'];
    expect((await gateline(workspace.root, create, { stdin: value })).code).toBe(0);
    const shown = await gateline(workspace.root, ['entities', 'show', ...named], { screen: { interactive } });
    expect(shown.out).toContain(`"id": "${expected}"`);
  });
});

describe('an entity that was created later than now', () => {
  it('is expired, since a clock was set back', async () => {
    const later = new Date(Date.now() + 3_600_000);
    const create = ['entities', 'create', 'short', '--reason', 'x', '--subject', 'clock'];
    expect((await gateline(workspace.root, create, { now: () => later })).code).toBe(0);
    const shown = await gateline(workspace.root, ['entities', '--subject', 'clock']);
    expect(shown.out).toMatch(/short +expired .*a clock was set back since it began/);
  });
});
