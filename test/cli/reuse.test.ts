import { describe, expect, it } from 'vitest';
import { agent, pipeline, placeOf, Project } from './support.ts';

/** An agent that writes what it reads: `out/A.txt` for the spec `A`. */
const WRITE = `mkdir -p out && cp spec.md "out/$(cat spec.md).txt"; ${agent()}`;

describe('a gate runs', () => {
  it('only if an input has changed, and names the file; with nothing to do, nothing is written', async () => {
    const project = new Project({
      'spec.md': 'A',
      'src/a.txt': 'a',
      'gateline.yml': pipeline({
        design: { run: agent({ steps: 1 }), inputs: ['spec.md'] },
        code: { needs: 'design', run: `cat src/a.txt > out.txt; ${agent()}`, inputs: ['src/**'], files: ['out.txt'] },
        test: { needs: 'code' },
      }),
    });
    expect(await project.run()).toBe('0: design code test');
    const before = project.state();
    await project.expect('run', 0, /^Everything is done: nothing has changed\.\n/);
    expect(project.ran()).toBe('');
    for (const command of ['status', 'plan', 'diff', 'history', 'check']) await project.gateline(command);
    expect(project.state()).toBe(before);

    project.write('spec.md', 'B');
    expect(await project.why('design')).toBe('run: spec.md changed since its last attempt');
    expect(await project.why('code')).toBe('depends: it depends on what design makes');
    expect(await project.run()).toBe('0: design');
    project.write('src/a.txt', 'b');
    project.write('src/b.txt', 'b');
    expect(await project.why('design')).toBe('use: nothing that it reads has changed since run 2');
    expect(await project.why('code')).toBe('run: src/a.txt and src/b.txt changed since its last attempt');
    // What it hands on has changed, so the gate after it runs too.
    expect(await project.run()).toBe('0: code test');
  });

  it('no more once its inputs are as before: its files are put back over those of the attempt that failed', async () => {
    const run = `cp spec.md out.txt; grep -q A spec.md || { touch new.txt; exit 1; }; ${agent()}`;
    const gate = { run, inputs: ['spec.md'], files: ['out.txt', 'new.txt'] };
    const project = new Project({ 'spec.md': 'A', 'gateline.yml': pipeline({ one: gate }) });
    await project.run();
    project.write('spec.md', 'B');
    expect(await project.run()).toMatch(/^1: /);
    project.write('spec.md', 'A');
    await project.expect('run', 0, 'one: used');
    expect([project.read('out.txt'), project.read('new.txt')]).toEqual(['A', undefined]);
  });

  it.each([
    ['the definition', (text: string) => text.replace('"agent ', '"true; agent '), 'its definition changed: run'],
    ['the task', (text: string) => text.replace('"T"', '"U"'), 'the task changed'],
    ['metadata', (text: string) => text.replace('"m": 1', '"m": 2'), 'the metadata changed: m'],
    ['the globs of its inputs', (text: string) => text.replace('"*.md"', '"*.txt"'), 'its `inputs` changed'],
    ['a variable', (text: string) => text.replace('"E": "1"', '"E": "2"'), 'its definition changed: env'],
  ])('if its request has changed: %s', async (_what, change, reason) => {
    const gate = { inputs: ['*.md'], env: { E: '1' } };
    const definition = pipeline({ one: gate }, { task: 'T', metadata: { m: 1 } });
    const project = new Project({ 'a.md': 'a', 'a.txt': 'a', 'gateline.yml': definition });
    await project.run();
    project.write('gateline.yml', change(definition));
    expect(await project.why('one')).toBe(`run: ${reason}`);
    project.write('gateline.yml', definition.replace('"needs"', '"agent": "B", "needs"'));
    expect(await project.plan()).toMatchObject({ one: { choice: 'use' } });
  });

  it('not because its threshold changed: its output is judged again, and a run that was done says so', async () => {
    const definition = pipeline({
      one: { run: agent({ score: 90 }), output: { score: '/score', threshold: 80 } },
      two: { needs: 'one' },
    });
    const project = new Project({ 'gateline.yml': definition });
    await project.run();
    project.write('gateline.yml', definition.replace('"threshold": 80', '"threshold": 95'));
    for (const command of ['run', 'status'])
      await project.expect(
        command,
        command === 'run' ? 1 : 0,
        /^Run 2 of p for main: error/m,
        'one is below its threshold',
      );
    project.write('gateline.yml', definition);
    await project.expect('run', 0, /^Run 2 of p for main: completed/m);
    expect(project.ran()).toBe('');
  });

  it('if a tool has another version, which is asked once per call', async () => {
    const gate = { tools: { tool: 'tool version' } };
    const project = new Project({ 'gateline.yml': pipeline({ one: gate, two: { ...gate, needs: 'one' } }) });
    project.program('tool', '#!/bin/sh\necho asked >> "$HOME/asked"; echo 1.0');
    expect(await project.run()).toBe('0: one two');
    expect(project.read('../asked')).toBe('asked\n');
    project.program('tool', '#!/bin/sh\necho 2.0');
    expect(await project.why('one')).toBe('run: tool is now 2.0');
  });

  it('if its output is older than max-age', async () => {
    const definition = pipeline({ one: { inputs: ['spec.md'], 'max-age': '12h' } });
    const project = new Project({ 'spec.md': 'A', 'gateline.yml': definition });
    await project.run();
    const [name] = project.files('.state/checkpoints');
    const path = `.state/checkpoints/${name}`;
    const checkpoint = project.read(path)!;
    project.write(path, checkpoint.replace(/"startedAt":"\d{4}/, '"startedAt":"2020'));
    expect(await project.why('one')).toBe('run: the output is older than max-age');
    project.write(path, checkpoint);
    project.write('spec.md', 'B');
    await project.run();
    project.write('spec.md', 'A');
    project.ran();
    expect(await project.run()).toBe('0: ');
    // Neither a use nor `keep` makes it younger.
    const log = project.read('.state/log.jsonl')!;
    project.write('.state/log.jsonl', log.replace(/"run":1,"at":"\d{4}/g, '"run":1,"at":"2020'));
    await project.expect('keep', 0, 'Kept: one');
    expect(await project.why('one')).toBe('run: the output is older than max-age');
  });

  it('also if some of its globs match no file: plan and run name them, whatever they do', async () => {
    const make = { run: `mkdir -p gen && touch gen/x; ${agent()}`, inputs: ['src/**', 'db/*.sql'], files: ['gen/**'] };
    const definition = pipeline({ make, use: { needs: 'make', inputs: ['gen/x'] } });
    const project = new Project({ 'src/a.txt': 'a', 'gateline.yml': definition });
    const hint = `correct \`inputs\` at ${placeOf(definition, 'make')}, if it is a mistake`;
    for (const command of ['plan', 'run', 'run', 'plan']) {
      const { err } = await project.gateline(command);
      expect(err).toContain(`note: db/*.sql matches no file: make does not read it (${hint})\n`);
      expect(err).not.toContain('gen/x');
    }
    expect(project.ran()).toBe('make use');
    project.write('db/1.sql', '');
    expect((await project.gateline('run')).err).not.toContain('matches no file');
  });

  it('if its command names a file that is no input: plan and run name the file and the line to add', async () => {
    const one = { run: `sh ./agents/one.sh && ${agent()}`, inputs: ['src/**'] };
    const two = { run: `sh agents/two.sh && ${agent()}`, inputs: ['agents/*', '!agents/one.sh'] };
    const definition = pipeline({ one, two });
    const project = new Project({
      'src/a.txt': 'a',
      'agents/one.sh': '',
      'agents/two.sh': '',
      'gateline.yml': definition,
    });
    const hint = `add agents/one.sh to \`inputs\` at ${placeOf(definition, 'one')}, if the agent reads it`;
    const note = `note: one does not run again after a change to agents/one.sh, which its command names (${hint})\n`;
    for (const command of ['plan', 'run', 'run']) {
      const { err } = await project.gateline(command);
      expect(err).toContain(note);
      expect(err).not.toContain('two does not');
    }
    expect(project.ran().split(' ').toSorted()).toEqual(['one', 'two']);
  });

  it('without `inputs` if any file has changed, but not for the definition and the prompts of others', async () => {
    const project = new Project({
      'a.txt': 'a',
      'prompts/one.md': '1',
      'prompts/two.md': '2',
      'gateline.yml': pipeline({
        one: { inputs: undefined, with: { prompt: 'prompts/one.md', about: 'a.txt' } },
        two: { inputs: undefined, with: { prompt: 'prompts/two.md' } },
      }),
    });
    await project.run();
    project.edit('gateline.yml', '"one": {', '"one": { "retries": 1,');
    expect(await project.run()).toBe('0: ');
    project.write('prompts/two.md', '3');
    expect(await project.run()).toBe('0: two');
    project.write('a.txt', 'b');
    expect(await project.why('two')).toBe('run: a.txt changed since its last attempt');
    project.write('a.txt', 'a');
    project.write('b.txt', 'b');
    expect(await project.why('one')).toBe('run: b.txt changed since its last attempt');
  });
});

describe('an output is used again', () => {
  it('unless its files are neither in the folder nor stored, as in a cache without them', async () => {
    const project = new Project({
      'spec.md': 'A',
      'gateline.yml': pipeline({
        make: { run: `${WRITE}; echo B >> out/A.txt`, inputs: ['spec.md'], files: ['out/**'] },
      }),
    });
    project.commit();
    await project.run();
    for (const path of ['out', '.state/git', '.state/attempts']) project.remove(path);
    expect(await project.why('make')).toBe('run: out/A.txt, a file of its earlier output, is not stored any more');
    expect(await project.run()).toBe('0: make');
    expect(project.files('out')).toEqual(['A.txt']);
    expect(await project.run()).toBe('0: ');
  });

  it('for A → B → A and on another branch, with its files', async () => {
    const project = new Project({
      '.gitignore': 'out/\n',
      'spec.md': 'A',
      'gateline.yml': pipeline({ make: { run: WRITE, inputs: ['spec.md'], files: ['out/**'] } }),
    });
    project.commit();
    expect(await project.run()).toBe('0: make');
    project.git('checkout', '-qb', 'other');
    project.write('spec.md', 'B');
    project.commit();
    expect(await project.run()).toBe('0: make');
    expect(project.files('out')).toEqual(['A.txt', 'B.txt']);
    project.git('checkout', '-q', 'main');
    const used = 'make: used: nothing that it reads has changed since run 1 (1 file put back)\n';
    await project.expect('run', 0, used, '1 of 1 gate used');
    expect(project.ran()).toBe('');
    expect(project.files('out')).toEqual(['A.txt']);
    project.git('checkout', '-q', 'other');
    expect(await project.run()).toBe('0: ');
    expect(project.files('out')).toEqual(['A.txt', 'B.txt']);
    project.git('checkout', '-q', 'main');
    await project.run();
    await project.gateline('rollback', '--all', '-r', 'wrong');
    expect(await project.why('make')).toBe('run: dev@example.com took its work back: wrong');
  });

  it('with a generated file that was right at first, and with one that was deleted', async () => {
    const run = `cp spec.md api.txt; echo x > new.txt; ${agent()}`;
    const definition = pipeline({ make: { run, inputs: ['spec.md'], files: ['api.txt', 'new.txt'] } });
    const project = new Project({ 'spec.md': 'A', 'api.txt': 'A', 'gateline.yml': definition });
    await project.run();
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('0: make');
    expect(project.read('api.txt')).toBe('B');
    project.write('spec.md', 'A');
    project.remove('new.txt');
    expect(await project.run()).toBe('0: ');
    expect([project.read('api.txt'), project.read('new.txt')]).toEqual(['A', 'x\n']);
  });

  it('by consumers only while the files handed to them are the same', async () => {
    const project = new Project({
      'spec.md': 'A',
      'gateline.yml': pipeline({
        make: { run: `cut -c1 spec.md > api.txt; ${agent({ same: true })}`, inputs: ['spec.md'], files: ['api.txt'] },
        use: { needs: 'make' },
        last: { needs: 'use' },
      }),
    });
    await project.run();
    project.ran();
    project.write('spec.md', 'Again');
    expect(await project.run()).toBe('0: make');
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('0: make use last');
    // A hand-made version stays, and those who read it work on it.
    project.write('api.txt', 'mine');
    const hint = '(`gateline run --force make` makes it again)';
    await project.expect('run', 0, `note: api.txt: your version stays; make made another one ${hint}`);
    expect(project.ran()).toBe('use last');
    expect(project.read('api.txt')).toBe('mine');
  });

  it('never over a version that only the user has, also outside of its inputs', async () => {
    const fix = { run: `cp src/a.txt notes.md; ${agent()}`, inputs: ['src/**'], files: 'changed' };
    const definition = pipeline({ fix, read: { needs: 'fix' } });
    const project = new Project({ 'src/a.txt': 'A', 'notes.md': '0', 'gateline.yml': definition });
    await project.run();
    project.write('src/a.txt', 'B');
    await project.run();
    project.ran();
    project.write('notes.md', 'newer');
    project.write('src/a.txt', 'A');
    const hint = 'to keep that version, commit or copy it; to use the earlier output, remove notes.md';
    const reason = 'an earlier output would replace a version of notes.md that only you have';
    expect(await project.why('fix')).toBe(`run: ${reason} (${hint})`);
    // Its agent is not ours: what it writes it may write.
    expect(await project.run()).toBe('0: fix');
    expect(project.read('notes.md')).toBe('A');
  });

  it('only where its folders can be: what is in the way is named', async () => {
    const make = { run: `mkdir -p out; echo made > out/made.txt; ${agent()}`, files: ['out/**'] };
    const project = new Project({ 'gateline.yml': pipeline({ make }) });
    await project.run();
    project.remove('out');
    project.write('out', 'mine');
    const note = 'note: out is a file or a link, where make needs a folder for out/made.txt';
    const advice = `${note} (move or remove out, then run again)`;
    await project.expect('run', 1, advice, 'Not all gates are done now: see the notes.\n');
    expect(project.read('out')).toBe('mine');
    project.remove('out');
    await project.expect('run', 0, /1 file put back/);
  });

  it('for each of two subjects in one folder', async () => {
    const project = new Project({
      'spec.md': 'A',
      'gateline.yml': pipeline({ make: { run: WRITE, inputs: ['spec.md'], files: ['out/**'] } }),
    });
    expect(await project.run('-s', 'one')).toBe('0: make');
    expect(await project.run('-s', 'two')).toBe('0: make');
    expect(await project.run('-s', 'one')).toBe('0: ');
    expect(await project.run('-s', 'two')).toBe('0: ');
    const before = project.state();
    expect(await project.run('-s', 'two')).toBe('0: ');
    expect(project.state()).toBe(before);
    await project.expect('history', 0, /p +two +2 [^]*p +one +2 [^]*p +two +1 [^]*p +one +1 /);
  });
});

describe('what changes while a gate works', () => {
  const COVERAGE = `mkdir -p coverage && date +%N > coverage/x; ${agent()}`;

  it('by its user is listed at the end with what it outdates; the next call takes it in', async () => {
    const two = { needs: 'one', run: agent({}, '$HOME/go'), inputs: ['b.md'], files: ['x'] };
    const definition = pipeline({ one: { inputs: ['a.md'] }, two });
    const project = new Project({ 'a.md': 'A', 'b.md': 'B', 'gateline.yml': definition });
    const run = project.start(['run']);
    await project.waitFor('one', 'two');
    project.write('a.md', 'mine');
    project.write('../go', '');
    expect(await run.answer).toMatchObject({ exit: 0 });
    expect(run.text.out).toContain('Would run again: one (a.md changed since its last attempt)\n');
    project.ran();
    expect(await project.run()).toBe('0: one');
    expect(await project.run()).toBe('0: ');
  });

  it('by itself, undeclared, makes it run again each time, and names the line to add; `ignore` ends that', async () => {
    const definition = pipeline({ first: {}, test: { run: COVERAGE, inputs: undefined } });
    const project = new Project({ 'a.txt': 'a', 'gateline.yml': definition });
    const { err } = await project.gateline('run');
    expect(err).toContain(
      'note: coverage/x changed while test worked, and test does not declare that: it counts as your change; coverage/x is among its inputs, so its output serves this call only ' +
        `(if test makes it, add \`files: ['coverage/**']\` to test at ${placeOf(definition, 'test')})`,
    );
    project.ran();
    expect(await project.why('test')).toBe(
      'run: it changed coverage/x itself and does not declare that, so the change counts as yours (' +
        `add \`files: ['coverage/**']\` to test at ${placeOf(definition, 'test')}, or \`ignore: ['coverage/**']\` at the top if nobody needs them` +
        ')',
    );
    expect(await project.run()).toBe('0: test');
    project.edit('gateline.yml', '"gates"', '"ignore": ["coverage/**"], "gates"');
    expect(await project.run()).toBe('0: test');
    expect(await project.run()).toBe('0: ');
    expect(await project.json('show', 'test')).toMatchObject({ undeclared: [] });
    const more = pipeline({ test: { run: COVERAGE, files: ['made/**'] } });
    project.write('gateline.yml', more);
    await project.expect('run', 0, `add 'coverage/**' to \`files\` of test at ${placeOf(more, 'test')}`);
  });

  it('by another gate that it does not need is named with the need to add', async () => {
    const definition = pipeline({
      test: { inputs: ['api.txt', 'spec.md'] },
      make: { run: `cp spec.md api.txt; ${agent()}`, inputs: ['spec.md'], files: ['api.txt'] },
    });
    const project = new Project({ 'spec.md': 'A', 'api.txt': '', 'gateline.yml': definition });
    expect(await project.run()).toBe('0: test make');
    expect(await project.run()).toBe('0: ');
    project.write('spec.md', 'B');
    expect(await project.why('test')).toBe('run: spec.md changed since its last attempt');
    project.write('spec.md', 'A');
    project.write('api.txt', 'mine');
    expect(await project.why('test')).toBe(
      'run: api.txt changed since its last attempt (' +
        `make makes api.txt: if test should wait for it, add \`needs: [make]\` to test at ${placeOf(definition, 'test')}` +
        ')',
    );
  });
});
