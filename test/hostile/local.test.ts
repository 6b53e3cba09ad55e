import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project } from '../cli/support.ts';

const SECRET = 'tk-9f8e7d6c5b4a3210ZZ';

/** A gate whose agent is JavaScript, and one after it. `$` is the path of the output, `S` the secret. */
function attack(script: string, gate: object = {}, more: object = {}): Project {
  const attacker = {
    run: `const { GATELINE_OUTPUT: $, MY_SECRET: S } = process.env;\nconst fs = await import('node:fs');\nconst sh = (await import('node:child_process')).execSync;\n${script}`,
    shell: 'node',
    inputs: [],
    secrets: ['MY_SECRET'],
    ...gate,
  };
  const next = { run: agent(), needs: ['attacker'], inputs: [] };
  const project = new Project({ 'gateline.yml': pipeline({ attacker, next }, more), 'mine.txt': 'mine\n' });
  project.environment['MY_SECRET'] = SECRET;
  return project;
}

/** Files of `.state/` that hold a text: the folder of the user's files and of agents' own files are theirs. */
function filesWith({ root }: Project, text: string): string[] {
  const names = readdirSync(join(root, '.state'), { recursive: true, encoding: 'utf8' });
  const plain = names.filter(
    (name) => !/^(?:git|attempts)/.test(name) && statSync(join(root, '.state', name)).isFile(),
  );
  return plain.filter((name) => readFileSync(join(root, '.state', name)).includes(text));
}

const write = (expression: string): string => `fs.writeFileSync($, ${expression});`;
const key = (digits: number, value: string): string => `'{"' + 'k'.repeat(${digits}) + '":${value}}'`;

describe('an agent that attacks opens nothing', () => {
  it.each<[attack: string, script: string, message: string, gate?: object]>([
    ['nests deeply', write(`'['.repeat(1e6)`), 'nested more than 200 deep'],
    ['writes more values than fit into memory', write(`'[' + '1,'.repeat(3e6) + '1]'`), 'more than 1,000,000 values'],
    ['writes bytes that are no text', write(`Buffer.from([0x7b, 0xff])`), 'a byte is not UTF-8'],
    ['hides a score in __proto__', write(`'{"__proto__":{"score":100}}'`), 'no score', { output: { score: '/score' } }],
    ['writes a number without end at a long key', write(key(6_000, '1e999')), 'does not fit into a double'],
    [
      'links its output',
      `fs.writeFileSync('x.json', '{}'); fs.symlinkSync(process.cwd() + '/x.json', $);`,
      'symbolic link',
    ],
    ['makes a pipe of its output', 'sh(`mkfifo ${$}`);', 'not a plain file'],
    ['makes a folder of its output', 'fs.mkdirSync($);', 'not a plain file'],
    [
      'leaves a process that writes later',
      'sh(`(trap "" TERM; sleep 60; echo {} > ${$}) > /dev/null 2>&1 &`);',
      'wrote no output',
    ],
    [
      'fails with half of a secret at the cut',
      write(`JSON.stringify({ error: 'x'.repeat(1_990) + S })`) + 'process.exit(1);',
      'xxx',
    ],
    ['opens fences without end', write('"```x\\n".repeat(1e6)'), 'no whole JSON', { output: { extract: 'json' } }],
    [
      'links out of its folder by a link',
      `fs.mkdirSync('d'); fs.symlinkSync('..', 'd/up'); fs.symlinkSync('d/up/..', 'out'); ${write(`'{}'`)}`,
      'out is a link to d/up/.., outside the folder',
      { files: ['d/**', 'out'] },
    ],
    [
      'names a file by a secret',
      `fs.writeFileSync(S, ''); ${write(`'{}'`)}`,
      'the name of *** holds a secret',
      { files: ['*'], inputs: undefined },
    ],
    [
      'links to a very long name',
      `fs.symlinkSync('/' + 'x'.repeat(4_000), 'out'); ${write(`'{}'`)}`,
      'outside the folder',
      { files: ['out'] },
    ],
    [
      'writes a secret into a file',
      `fs.writeFileSync('a.txt', 'x\\n' + S); ${write(`'{}'`)}`,
      'a.txt:2 holds a secret (MY_SECRET)',
      { files: ['a.txt'] },
    ],
    [
      'leaves a secret for its next attempt',
      `if (!fs.existsSync('a.txt')) fs.writeFileSync('a.txt', 'x\\n' + S); ${write(`'{}'`)}`,
      'a.txt:2 holds a secret (MY_SECRET)',
      { files: ['a.txt'], retries: 1 },
    ],
  ])('%s', async (_, script, message, gate) => {
    const project = attack(script, gate);
    const { exit, err } = await project.gateline('run');
    expect([exit, project.ran()]).toEqual([1, '']);
    expect(err + (await project.gateline('plan')).out).not.toContain(SECRET.slice(0, 9));
    const { status, verdict } = await project.unit('attacker');
    expect([status, verdict?.issues.map((issue) => issue.message).join('\n')]).toEqual([
      'failed',
      expect.stringContaining(message),
    ]);
    expect(filesWith(project, SECRET.slice(0, 9))).toEqual([]);
    expect(project.read('mine.txt')).toBe('mine\n');
  });
});

describe('what an agent leaves', () => {
  it.each<[attack: string, script: string, gate?: object]>([
    [
      'files named as properties of objects',
      `for (const name of ['constructor', '__proto__', 'toString']) fs.writeFileSync(name, '1');`,
      { files: ['*', '!mine.txt', '!gateline.yml'] },
    ],
    [
      'files with strange names',
      `for (const name of ['a\\nb', 'a"\\\\b', '\\x1b[2J']) fs.writeFileSync('o-' + name, '1'); fs.writeFileSync(Buffer.from([0x6f, 0x2d, 0xff]), '1');`,
      { files: ['o-*'] },
    ],
    ['pipes and links to themselves', 'sh("mkfifo o-pipe; ln -s o-self o-self");', { files: ['o-*'] }],
    [
      'a .gitignore that ignores all',
      `fs.writeFileSync('.gitignore', '*'); fs.writeFileSync('a.txt', '1');`,
      { files: ['a.txt', '.gitignore'] },
    ],
    [
      'a secret as a long key',
      write(`JSON.stringify({ [S + 'k'.repeat(6_000)]: S, n: 1 }).replace('"n":1', '"n":1e20')`),
    ],
    ['a number at a secret key', write(`'{"' + S + '":1e20}'`)],
    [
      'hostile metrics',
      `fs.writeFileSync(process.env.GATELINE_METRICS, JSON.stringify({ costUsd: 1e308, model: S, ['x'.repeat(30) + S]: 1, ...Object.fromEntries(Array.from({ length: 1e5 }, (_, n) => ['k' + n, n])) }));`,
    ],
    [
      'hostile learnings and logs',
      `fs.writeFileSync(process.env.GATELINE_LEARNINGS, '\\x1b]0;' + S); process.stdout.write('\\x1b[2J::set-output name=x::y\\n' + S.slice(0, 9)); await new Promise((done) => setTimeout(done, 50)); console.log(S.slice(9));`,
    ],
    ['a file named by a secret', `fs.writeFileSync('o-' + S, '1');`],
    ['a pipe in the place of a state file', 'sh("mkfifo .state/d-f-gate1-output.json");', {}],
  ])('%s: is used again, and no secret is stored', async (name, script, gate) => {
    const more = name.includes('state file')
      ? { mirror: ['state-guide'], metadata: { domain: 'd', feature: 'f' } }
      : {};
    const project = attack(`${script}\nif (!fs.existsSync($)) fs.writeFileSync($, '{}');`, gate, more);
    const { out, err } = await project.gateline('run');
    expect(await project.statuses()).toBe('attacker passed, next passed');
    expect(await project.gateline('run', '--quiet')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Everything is done') as string,
    });
    const shown = [
      out,
      err,
      ...(await Promise.all(['logs', 'show'].map((word) => project.gateline(word, 'attacker')))).map(
        (answer) => answer.out,
      ),
    ].join('');
    expect(shown).not.toContain('\x1b');
    expect([shown.includes(SECRET), filesWith(project, SECRET)]).toEqual([false, []]);
    expect((await project.gateline('history')).err).toBe('');
  });
});

describe('a damaged folder', () => {
  it('without its repository: the next call recovers the attempt that removed it', async () => {
    const project = attack(
      `if (fs.existsSync('.git')) fs.rmSync('.git', { recursive: true }); fs.writeFileSync('a.txt', '1'); ${write(`'{}'`)}`,
      { files: ['a.txt'] },
    );
    expect((await project.gateline('run')).exit).toBe(74);
    expect((await project.gateline('run')).exit).toBe(0);
    expect(await project.gateline('run')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Everything is done') as string,
    });
  });

  it.each([
    [
      'an option in the place of a snapshot',
      (line: string) => line.replace(/"snapshot":"[^"]*"/, '"snapshot":"--output=x"'),
      'cannot be read',
    ],
    ['a line of a newer version', (line: string) => line.replace('"v":1', '"v":2'), 'newer version'],
  ])('%s stops the call, with file and line', async (_, change, message) => {
    const project = attack(write(`'{}'`));
    await project.gateline('run');
    const [first = '', ...rest] = project.read('.state/log.jsonl')!.split('\n');
    project.write('.state/log.jsonl', [change(first), ...rest].join('\n'));
    const { exit, err } = await project.gateline('run');
    expect([exit, err]).toEqual([74, expect.stringMatching(new RegExp(`log.jsonl, line 1.*${message}`))]);
  });

  it.each([
    ['a long reason', ['force', 'next', '-r', 'x'.repeat(5_000)], 'at most 4,096 characters'],
    ['a long name', ['force', 'next', '--actor', 'x'.repeat(300)], '1 to 255'],
    [
      'a subject that is too long by its parts',
      ['run', '-m', `domain=${'x'.repeat(2_000)}`, '-m', 'feature=y'],
      'the subject must have',
    ],
  ])('%s is refused where it comes in', async (_, words, message) => {
    const { exit, err } = await attack(write(`'{}'`)).gateline(...words);
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('a task of any length is taken', async () => {
    expect((await attack(write(`'{}'`)).gateline('run', '--task', 'x'.repeat(50_000))).exit).toBe(0);
  });

  it("an output that a person supplies and today's contract refuses is supplied once", async () => {
    const project = attack(write(`'{"a":1}'`));
    project.write('value.json', '{"b":1}');
    await project.gateline('run');
    await project.gateline('adopt', 'attacker', '-o', 'value.json', '-r', 'x');
    project.edit('gateline.yml', '"shell"', '"output": {"schema": {"required": ["a"]}}, "shell"');
    expect((await project.gateline('run')).exit).toBe(1);
    expect((await project.gateline('run')).exit).toBe(0);
  });

  it('a secret in metadata is in no file of another system', async () => {
    const project = attack(write(`'{}'`), {}, { mirror: ['state-guide'], metadata: { domain: 'd', feature: 'f' } });
    await project.gateline('run', '-m', `userStory=use ${SECRET}`, '--task', SECRET);
    expect([project.read('.state/d-f-pipeline.json'), filesWith(project, SECRET)]).toEqual([
      expect.stringContaining('use ***'),
      [],
    ]);
  });
});
