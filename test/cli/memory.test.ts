import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { entriesOf, entryId } from '../../src/memory/entries.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

/** Which documents an agent finds, as its output. */
const LOOKS = `ls -A .gateline/memory 2>/dev/null | sort | node -e 'const s=require("fs").readFileSync(0,"utf8").trim();console.log(JSON.stringify(s===""?[]:s.split("\\n")))' > "$GATELINE_OUTPUT"`;

async function documents(): Promise<ScratchWorkspace> {
  const gates = {
    explore: { run: LOOKS, memory: ['learned-patterns'], files: 'changed' },
    build: { run: `${LOOKS}; echo built > built.txt`, needs: 'explore', files: 'changed' },
    check: { run: writes(1), inputs: ['built.txt'], needs: 'build', memory: 'glossary' },
  };
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(gates),
    '.gateline/memory/learned-patterns.md': '# Learned patterns\n\n## Code\n- One\n',
    '.gateline/memory/glossary.md': '# Glossary\n',
    '.gateline/memory/private/notes.txt': 'x',
  });
}

describe('documents for agents', () => {
  it('are seen by the gates that name them, and nothing else of their folder is', async () => {
    await using workspace = await documents();
    await expectOk(here(workspace, 'run', '--quiet'));
    const seen = async (gate: string): Promise<unknown> =>
      JSON.parse((await expectOk(here(workspace, 'show', gate, 'output'))).out);
    expect(await seen('explore')).toEqual(['learned-patterns.md']);
    expect(await seen('build')).toEqual([]);
    const { out } = await expectOk(here(workspace, 'diff'));
    expect(out).toContain('built.txt');
    expect(out).not.toContain('.gateline');
    await expectOk(here(workspace, 'apply'));
    expect(await workspace.read('.gateline/memory/glossary.md')).toBe('# Glossary\n');
  });

  it('start the gates again that name them, and no others, and the plan says how much is new', async () => {
    await using workspace = await documents();
    await expectOk(here(workspace, 'run', '--quiet'));
    await workspace.write('.gateline/memory/glossary.md', '# Glossary\n- gate\n- run\n');
    await workspace.write('.gateline/memory/private/notes.txt', 'y');
    const { gates } = JSON.parse((await expectOk(here(workspace, 'plan', '--json'))).out) as {
      readonly gates: readonly { readonly key: string; readonly choice: string; readonly reason: string }[];
    };
    expect(gates.map(({ key, choice }) => `${key} ${choice}`)).toEqual(['explore reuse', 'build reuse', 'check run']);
    expect(gates[2]!.reason).toBe('glossary changed (+2)');
    await workspace.write('.gateline/memory/learned-patterns.md', '# Learned patterns\n- Two\n');
    expect((await expectOk(here(workspace, 'plan'))).out).toContain('learned-patterns changed (+1 -3)');
  });

  it.runIf(process.platform !== 'win32').each([
    ['a link', 'ln -s /etc/passwd "$GATELINE_LEARNINGS"', /a symbolic link|not a plain file|too many levels/i],
    ['a pipe', 'mkfifo "$GATELINE_LEARNINGS"', /not a plain file/],
    ['too much', 'head -c 2000000 /dev/zero > "$GATELINE_LEARNINGS"', /too large/],
  ])('are not learnt from %s, and the gate passes and says so', async (_, spoils, why) => {
    await using workspace = await documents();
    const run = `rm -f "$GATELINE_LEARNINGS"; ${spoils}; ${writes(1)}`;
    await workspace.write('gateline.yml', gatelineYml({ a: { run, inputs: [] } }));
    await expectOk(here(workspace, 'run', '--quiet'));
    const shown = JSON.parse((await expectOk(here(workspace, 'show', 'a', '--json'))).out) as {
      readonly verdict: { readonly status: string; readonly issues: readonly { readonly message: string }[] };
    };
    expect(shown.verdict.status).toBe('passed');
    expect(shown.verdict.issues.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
    expect(shown.verdict.issues[0]!.message).toMatch(/^the learnings were not kept: /);
    expect((await here(workspace, 'memory', 'promote')).out).not.toContain('root:');
  });

  it('with `?` are given only if the call asks for them, and are part of the request then', async () => {
    await using workspace = await documents();
    const gates = {
      a: { run: LOOKS, inputs: [], memory: ['glossary?', 'learned-patterns'] },
      b: { run: LOOKS, inputs: [] },
    };
    await workspace.write('gateline.yml', gatelineYml(gates));
    const seen = async (...args: string[]): Promise<unknown> => {
      await expectOk(here(workspace, 'run', '--quiet', ...args));
      return JSON.parse((await expectOk(here(workspace, 'show', 'a', 'output'))).out);
    };
    expect(await seen()).toEqual(['learned-patterns.md']);
    const listed = (await expectOk(here(workspace, 'memory'))).out;
    expect(listed).toMatch(/^glossary .*, with --memory glossary for a$/m);
    expect(listed).toMatch(/^learned-patterns .*, for a$/m);
    const { out } = await expectOk(here(workspace, 'plan', '--memory', 'glossary'));
    expect(out).toMatch(/a +run +glossary added\n.*b +reuse/);
    expect(await seen('--memory', 'glossary')).toEqual(['glossary.md', 'learned-patterns.md']);
    expect((await expectOk(here(workspace, 'plan', '--memory', 'glossary'))).out).toMatch(/a +reuse/);
    const { code, err } = await here(workspace, 'run', '--memory', 'other');
    expect(code).toBe(2);
    expect(err).toContain('--memory other: no gate lists this document');
  });

  it('that are not there yet are no error, and are inputs once they are', async () => {
    await using workspace = await documents();
    await workspace.write('gateline.yml', gatelineYml({ a: { run: LOOKS, inputs: [], memory: ['progress'] } }));
    await expectOk(here(workspace, 'run', '--quiet'));
    await workspace.write('.gateline/memory/progress.md', '# Progress\n');
    expect((await expectOk(here(workspace, 'plan'))).out).toContain('progress added');
    await expectOk(here(workspace, 'run', '--quiet'));
    expect(JSON.parse((await expectOk(here(workspace, 'show', 'a', 'output'))).out)).toEqual(['progress.md']);
  });
});

describe('gateline memory', () => {
  const NOTES = `printf '## Tests\\n- Use a real browser\\n- use a  REAL browser\\n' > "$GATELINE_LEARNINGS"`;

  async function noted(): Promise<ScratchWorkspace> {
    const gates = {
      a: { run: `${NOTES}; ${writes(1)}`, inputs: [] },
      b: { run: `echo '["Wait for the table", {"text": "<!-- x"}]' > "$GATELINE_LEARNINGS"; exit 1`, inputs: [] },
    };
    const workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    await here(workspace, 'run', '--quiet');
    return workspace;
  }

  it('adds what agents of a run noted, each learning once, and says so', async () => {
    await using workspace = await noted();
    const path = '.gateline/memory/learned-patterns.md';
    expect((await expectOk(here(workspace, 'memory'))).out).toMatch(
      /Agents noted 3 learnings: `gateline memory promote`/,
    );
    const { out } = await expectOk(here(workspace, 'memory', 'promote'));
    expect(out).toContain(`Added to ${path}:\n`);
    const text = await workspace.read(path);
    expect(
      text
        .split('\n')
        .filter((line) => line.startsWith('-'))
        .toSorted(),
    ).toEqual(['- &lt;!-- x', '- Use a real browser', '- Wait for the table']);
    expect((await expectOk(here(workspace, 'memory', 'promote', '1'))).out).toBe(`Nothing new for ${path}.\n`);
    expect(await workspace.read(path)).toBe(text);
    expect((await expectOk(here(workspace, 'memory'))).out).not.toContain('Agents noted');
  });

  it('are without secrets, also where JSON hides them behind escapes', async () => {
    const secret = 'correct-horse-battery';
    const escaped = secret.replaceAll(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
    const learnings = `["plain ${secret}", {"category": "${escaped}", "text": "escaped ${escaped}"}]`;
    const run = `cp noted.json "$GATELINE_LEARNINGS"; ${writes(1)}`;
    const gates = { a: { run, inputs: ['noted.json'], secrets: ['TOKEN'] } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml(gates),
      'noted.json': learnings,
    });
    const environment = plainEnvironment({ TOKEN: secret });
    await expectOk(gateline(workspace.root, ['run', '--quiet'], { environment }));
    expect((await expectOk(here(workspace, 'memory', 'promote'))).out).toContain('  ***: escaped ***\n');
    expect((await expectOk(here(workspace, 'handoff'))).out).toContain('plain ***');
    expect(await workspace.read('.gateline/memory/learned-patterns.md')).not.toContain(secret);
  });

  it('names what is new after a run, and with `learning: auto` adds it if the run is completed', async () => {
    const definition = (learning: string, run: string): string =>
      gatelineYml({ a: { run: `${NOTES}; ${run}`, inputs: [] } }, { learning });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition('auto', 'exit 1') });
    expect((await here(workspace, 'run', '--quiet')).err).toContain(
      'Agents noted 1 learning: `gateline memory promote`',
    );
    await workspace.write('gateline.yml', definition('auto', writes(1)));
    const path = '.gateline/memory/learned-patterns.md';
    const { err } = await expectOk(here(workspace, 'run', '--quiet'));
    expect(err).toContain(`Added 1 learning to ${path}.\n`);
    const text = await workspace.read(path);
    expect((await expectOk(here(workspace, 'run', '--quiet', '--new'))).err).not.toContain('learning');
    expect(await workspace.read(path)).toBe(text);
  });

  it('lists, adds and forgets entries, and keeps the text around them', async () => {
    await using workspace = await documents();
    await expectOk(here(workspace, 'memory', 'add', 'glossary', 'A gate is a job', '--category', 'Words'));
    const { documents: all } = JSON.parse((await expectOk(here(workspace, 'memory', '--json'))).out) as {
      readonly documents: readonly object[];
    };
    expect(all).toMatchObject([
      { name: 'glossary', entries: 1, gates: ['check'] },
      { name: 'learned-patterns', entries: 1, gates: ['explore'] },
    ]);
    const { out } = await expectOk(here(workspace, 'memory', 'show', 'glossary'));
    const [id] = out.split('  ');
    expect(out).toBe(`${id}  Words: A gate is a job\n`);
    expect((await expectOk(here(workspace, 'memory', 'forget', id!))).out).toBe(
      'Removed from .gateline/memory/glossary.md.\n',
    );
    expect(await workspace.read('.gateline/memory/glossary.md')).toBe('# Glossary\n\n## Words\n\n');
  });

  it('keep every entry that commands add and forget at the same time', async () => {
    await using workspace = await documents();
    const one = entryId({ category: 'Code', text: 'One' });
    const texts = Array.from({ length: 8 }, (_, number) => `Entry ${number}`);
    const added = texts.map((text) => here(workspace, 'memory', 'add', 'learned-patterns', text));
    await Promise.all([...added, here(workspace, 'memory', 'forget', one)].map(expectOk));
    const kept = entriesOf(await workspace.read('.gateline/memory/learned-patterns.md'));
    expect(kept.map(({ text }) => text).toSorted()).toEqual(texts);
  });

  it('refuses what it cannot do, and writes nothing outside of its folder', async () => {
    await using workspace = await documents();
    const fails = async (...args: string[]): Promise<string> => {
      const { code, err } = await here(workspace, 'memory', ...args);
      expect(code, args.join(' ')).toBe(2);
      return err;
    };
    expect(await fails('remember')).toContain('expected one of `list`');
    expect(await fails('show', '../glossary')).toContain('cannot be the name of a document');
    expect(await fails('show', 'nothing')).toContain('DOCUMENT_UNKNOWN');
    expect(await fails('add', 'glossary')).toContain('TEXT is missing');
    expect(await fails('add', 'handoff', 'x')).toContain(
      'handoff is made from the previous run, and is not a document',
    );
    expect(await fails('forget', '00000000')).toContain('DOCUMENT_UNKNOWN');
    expect(await fails('list', 'x')).toContain('one argument too many');
    const elsewhere = workspace.beside('elsewhere');
    await mkdir(elsewhere);
    await rm(workspace.path('.gateline'), { recursive: true });
    await mkdir(workspace.path('.gateline'));
    await symlink(elsewhere, workspace.path('.gateline/memory'));
    expect(await fails('add', 'glossary', 'x')).toContain('PATH_ESCAPES');
    expect(await readdir(elsewhere)).toEqual([]);
  });
});

describe('the handoff', () => {
  /** Fails on its first start, and copies what it was told into its output. */
  const TELLS = `printf -- '- Check the \`\`\` cache\\n' > "$GATELINE_LEARNINGS"; if [ -z "\${GATELINE_HANDOFF:-}" ]; then echo broken >&2; exit 1; fi; node -e 'const r=require(process.env.GATELINE_REQUEST);console.log(JSON.stringify({told:require("fs").readFileSync(process.env.GATELINE_HANDOFF,"utf8"),failed:r.handoff.failed.map(f=>f.gate),score:90}))' > "$GATELINE_OUTPUT"`;

  it('tells a gate that asks for it a summary of the run before, and no other', async () => {
    const plan = {
      run: `${writes({ text: 'drawn up' })}; test -z "\${GATELINE_HANDOFF:-}"`,
      inputs: [],
      output: { message: '/text' },
    };
    const gates = { plan, build: { needs: 'plan', run: TELLS, inputs: [], memory: 'handoff' } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    expect((await here(workspace, 'run', '--quiet')).code).toBe(1);
    expect((await expectOk(here(workspace, 'handoff'))).out).toContain('make build pass');
    expect((await here(workspace, 'run', '--quiet')).code, 'the run continues: there is none before it').toBe(1);
    await expectOk(here(workspace, 'run', '--quiet', '--new'));
    const { told, failed } = JSON.parse((await expectOk(here(workspace, 'show', 'build', 'output'))).out) as {
      readonly told: string;
      readonly failed: readonly string[];
    };
    expect(failed).toEqual(['build']);
    expect(told).toBe((await expectOk(here(workspace, 'handoff', '--run', '1'))).out);
    expect(told).toContain('## Done\n\n```text\nplan: drawn up\n```\n');
    expect(told).toMatch(/## Failed\n\n```text\nbuild: agent-error: .*\n/);
    expect(told).toContain('## Learnings\n\n````text\nLearnings: Check the ``` cache\n````\n');
    expect(told).toContain('make build pass');
    // The run before has passed now, which the next one is told, once.
    expect((await expectOk(here(workspace, 'plan'))).out).toContain('handoff changed');
    await expectOk(here(workspace, 'run', '--quiet', '--new'));
    expect((await expectOk(here(workspace, 'run', '--quiet', '--new'))).out).toMatch(/1 +build +passed +reused/);
  });

  it('does not ask for gates that had nothing to do', async () => {
    const repair = { needs: 'check', if: 'needs.check.output.failed > 0', run: writes({}), inputs: [] };
    const gates = { check: { run: writes({ failed: 0 }), inputs: [] }, repair };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    await expectOk(here(workspace, 'run', '--quiet'));
    const { out } = await expectOk(here(workspace, 'handoff'));
    expect(out).toContain('## Done\n\n```text\ncheck\n```\n');
    expect(out).toContain('every gate that ran has passed');
    expect(out).not.toContain('repair');
  });

  it('of a run in which nothing has ended is none', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ a: { run: writes(1) } }) });
    const { code, err } = await here(workspace, 'handoff');
    expect([code, err]).toEqual([2, expect.stringContaining('PART_ABSENT')]);
  });
});
