import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { gatelineYml, gateline, writes } from '../cli/in-process.ts';
import { choicesOf, plainEnvironment, statusOf, type CommandResult } from '../support/command-line.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL } from '../support/test-size.ts';

/** `make` hands on a tracked file and an ignored one; `own` runs by itself; `read` says what it finds in the sources. */
const GATES = gatelineYml({
  make: {
    run: `echo made > made.txt; mkdir -p dist; echo built > dist/out.js; ${writes(1)}`,
    inputs: ['brief.txt'],
    files: ['made.txt', 'dist/**'],
  },
  read: {
    run: `printf '"%s"' "$(cat src/app.txt)" > "$GATELINE_OUTPUT"; echo read >> "$START_LOG"`,
    inputs: ['src/**'],
  },
  own: { needs: 'make', inputs: ['made.txt'], files: ['src/**'] },
  after: { needs: 'own', run: `printf '"%s"' "$(cat src/app.txt)" > "$GATELINE_OUTPUT"`, inputs: ['src/**'] },
});

const FILES = {
  'gateline.yml': GATES,
  'brief.txt': 'brief\n',
  'made.txt': 'not made\n',
  'src/app.txt': 'old\n',
  '.gitignore': 'dist/\n',
};

interface Begun {
  readonly token: string;
  readonly workspace: string;
  readonly variables: Readonly<Record<string, string>>;
}

async function begin(workspace: ScratchWorkspace, gate: string, ...args: string[]): Promise<Begun> {
  const result = await workspace.gateline(['begin', gate, '--json', ...args]);
  expect(result, result.stdout).toMatchObject({ code: 0 });
  return JSON.parse(result.stdout) as Begun;
}

async function complete(
  workspace: ScratchWorkspace,
  { token, variables }: Begun,
  value: unknown = 1,
): Promise<CommandResult> {
  await writeFile(variables['GATELINE_OUTPUT']!, JSON.stringify(value));
  return workspace.gateline(['complete', '--token', token]);
}

async function outputOf(workspace: ScratchWorkspace, gate: string): Promise<unknown> {
  return JSON.parse((await workspace.gateline(['show', gate, 'output'])).stdout) as unknown;
}

/** Everything up to `own` is done, and nothing applied. */
async function waiting(files: Readonly<Record<string, string>> = {}): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ ...FILES, ...files });
  const run = await workspace.gateline(['run', '-q']);
  expect(run, run.stderr).toMatchObject({ code: 3 });
  return workspace;
}

const errorOf = (result: CommandResult): unknown => (JSON.parse(result.stdout) as { code: unknown }).code;

describe.runIf(process.platform !== 'win32')('an agent that runs by itself in the user\u2019s folder', () => {
  it('begins once what earlier gates handed on is there; until it is completed, others see the folder as it was', async () => {
    await using workspace = await waiting();
    const refused = await workspace.gateline(['begin', 'own', '--json']);
    expect(refused).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/dist\/out\.js, made\.txt.*gateline apply.*gateline begin own --tree/s) as string,
    });
    expect(errorOf(refused)).toBe('GATE_NOT_APPLIED');
    // It is no attempt: nothing failed.
    expect((await workspace.records()).filter(({ gate }) => gate === 'own')).toEqual([]);
    expect(await workspace.gateline(['apply'])).toMatchObject({ code: 0 });
    const begun = await begin(workspace, 'own');
    expect(begun.workspace).toBe(workspace.root);

    await workspace.write('src/app.txt', 'half done\n');
    await workspace.write('src/new.txt', 'new\n');
    await workspace.forgetStarts();
    const meanwhile = await workspace.gateline(['run', '-q', '--json']);
    expect(meanwhile, meanwhile.stderr).toMatchObject({ code: 3 });
    expect(choicesOf(meanwhile)).toMatchObject({ make: 'keep', read: 'keep' });
    const forced = await workspace.gateline(['run', '-q', '--force', 'read', '--reason', 'again']);
    expect(forced, forced.stderr).toMatchObject({ code: 3 });
    expect(await outputOf(workspace, 'read')).toBe('old');
    expect(await workspace.gateline(['apply'])).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(
        /CLAIM_IN_PLACE: the agent of gate own \(main\) .*gateline force own --subject main --reason/s,
      ) as string,
    });
    expect(await workspace.gateline(['apply', '-n'])).toMatchObject({ code: 75 });
    const claimed = await workspace.gateline(['begin', 'own', '--json']);
    expect(errorOf(claimed)).toBe('GATE_CLAIMED');
    expect(claimed.stdout).toContain('`gateline force own --reason TEXT`');

    const completed = await complete(workspace, begun);
    expect(completed, completed.stderr).toMatchObject({ code: 0 });
    expect(completed.stderr).toContain(
      'note: read: src/app.txt, src/new.txt changed in the folder and are among its inputs: the gate will run again',
    );
    expect(completed.stderr).not.toMatch(/^note: (?:make|own)/m);
    const goesOn = await workspace.gateline(['run', '-q']);
    expect(goesOn, goesOn.stderr).toMatchObject({ code: 0 });
    expect(choicesOf(goesOn)).toMatchObject({ make: 'keep', read: 'run', own: 'keep', after: 'run' });
    expect([await outputOf(workspace, 'read'), await outputOf(workspace, 'after')]).toEqual(['half done', 'half done']);
    expect(await workspace.gateline(['apply'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d files already/) as string,
    });
  });

  it.runIf(IS_FULL)('is refused where its own files would be its inputs', async () => {
    const own = { needs: 'make', files: ['src/**'] };
    await using workspace = await waiting({
      'gateline.yml': JSON.stringify({ ...JSON.parse(GATES), gates: { ...JSON.parse(GATES).gates, own } }),
    });
    await workspace.gateline(['apply']);
    const refused = await workspace.gateline(['begin', 'own', '--json']);
    expect(refused).toMatchObject({ code: 2, stdout: expect.stringContaining('begin --tree') as string });
    expect(errorOf(refused)).toBe('IN_PLACE_NEEDS_INPUTS');
    const begun = await begin(workspace, 'own', '--tree');
    expect((await complete(workspace, begun)).code).toBe(0);
  });

  it.runIf(IS_FULL)('has the folder until somebody gives it up, or its time is over', async () => {
    await using workspace = await waiting();
    const here = (args: readonly string[], minutes = 0) =>
      gateline(workspace.root, args, {
        environment: plainEnvironment(workspace.variables()),
        now: () => new Date(Date.now() + minutes * 60_000),
      });
    await workspace.gateline(['apply']);
    const first = await begin(workspace, 'own');
    expect((await here(['apply'])).code).toBe(75);
    expect((await here(['decide', 'force', 'own', '--reason', 'it hangs'])).code).toBe(0);
    expect(await here(['apply'])).toMatchObject({ code: 0, err: '' });
    const second = await begin(workspace, 'own');
    expect(await complete(workspace, first)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('CLAIM_EXPIRED') as string,
    });
    expect((await here(['apply'])).code).toBe(75);
    // An hour is the default.
    expect((await here(['apply'], 59)).code).toBe(75);
    expect((await here(['apply'], 61)).code).toBe(0);
    expect(await here(['complete', '--token', second.token], 61)).toMatchObject({
      code: 2,
      err: expect.stringContaining('CLAIM_EXPIRED'),
    });
    expect((await here(['begin', 'own', '--json'], 61)).code).toBe(0);
  });

  it('gives the folder back also when the attempt is lost, or its agent failed', async () => {
    await using workspace = await waiting();
    await workspace.gateline(['apply']);
    const lost = await begin(workspace, 'own');
    await rm(workspace.path('.state/attempts'), { recursive: true });
    expect(await workspace.gateline(['complete', '--token', lost.token])).toMatchObject({
      code: 74,
      stderr: expect.stringContaining('ATTEMPT_LOST') as string,
    });
    expect((await workspace.gateline(['apply'])).code).toBe(0);
    const failed = await begin(workspace, 'own');
    expect((await workspace.gateline(['complete', '--token', failed.token, '--exit-code', '3'])).code).toBe(1);
    expect((await workspace.gateline(['apply'])).code).toBe(0);
  });
});

describe.runIf(process.platform !== 'win32')('an agent that runs by itself in a work tree', () => {
  it('has what its request says, and changes nothing in the user\u2019s folder', async () => {
    await using workspace = await waiting();
    const before = await workspace.files();
    const begun = await begin(workspace, 'own', '--tree');
    expect(begun.workspace.startsWith(`${workspace.trees}/`)).toBe(true);
    expect(await filesBelow(begun.workspace, ['.git', '.state'])).toEqual(
      [...Object.keys(before), 'dist/out.js'].toSorted(),
    );
    await writeFile(`${begun.workspace}/src/app.txt`, 'by the agent\n');
    // Nobody else is kept from anything meanwhile.
    expect(await workspace.gateline(['apply'])).toMatchObject({ code: 0 });
    await workspace.git('checkout', '-q', 'made.txt');
    await rm(workspace.path('dist'), { recursive: true });
    expect(await workspace.gateline(['run', '-q', '--force', 'read', '--reason', 'again'])).toMatchObject({ code: 3 });
    expect(await outputOf(workspace, 'read')).toBe('old');
    expect(Object.values(await workspace.slots()).toSorted()).toEqual(['busy', 'idle']);
    const completed = await complete(workspace, begun);
    expect(completed, completed.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(Object.values(await workspace.slots())).toEqual(['idle', 'idle']);
    expect(await workspace.files()).toEqual(before);
    const goesOn = await workspace.gateline(['run', '-q', '--json']);
    expect(statusOf(goesOn)).toMatchObject({ status: 'completed' });
    expect(await outputOf(workspace, 'after')).toBe('by the agent');
    expect(choicesOf(goesOn)).toMatchObject({ read: 'keep' });
  });

  it('has it to itself until it is completed, or its time is over; then it is never used again', async () => {
    await using workspace = await waiting();
    const here = (args: readonly string[], minutes: number) =>
      gateline(workspace.root, args, {
        environment: plainEnvironment(workspace.variables()),
        now: () => new Date(Date.now() + minutes * 60_000),
      });
    const begun = await begin(workspace, 'own', '--tree');
    const force = ['run', '-q', '--force', 'read', '--reason', 'again'];
    expect((await here(force, 59)).code).toBe(3);
    expect(existsSync(`${begun.workspace}/src/app.txt`)).toBe(true);
    const number = begun.workspace.slice(workspace.trees.length + 1).split('/')[0]!;
    expect((await workspace.slots())[number]).toBe('busy');
    // What was begun and not completed is lost.
    expect((await here(force, 61)).code).toBe(1);
    expect((await workspace.slots())[number]).toBeUndefined();
    expect(await here(['complete', '--token', begun.token], 61)).toMatchObject({
      code: 2,
      err: expect.stringContaining('CLAIM_EXPIRED'),
    });
    const again = JSON.parse((await here(['begin', 'own', '--tree', '--json'], 61)).out) as Begun;
    expect(again.workspace).not.toBe(begun.workspace);
  });
});

describe.runIf(process.platform !== 'win32')('a gate with `workspace: in-place`', () => {
  /** Says when it began and ended, beside the workspace. */
  const timed = (work: string): string =>
    `echo "+$GATELINE_GATE" >> "$LOG"; ${work}; sleep 0.3; ${writes(1)}; echo "-$GATELINE_GATE" >> "$LOG"`;
  const GATE = gatelineYml({
    a: { run: timed('echo a > a.txt'), inputs: [], files: ['a.txt'] },
    b: { run: timed('true'), inputs: [] },
    here: { run: timed('echo here >> src/app.txt'), inputs: ['brief.txt'], files: ['src/**'], workspace: 'in-place' },
    c: { run: timed('true'), inputs: [] },
    last: { needs: ['a', 'here'], run: timed('cat a.txt'), inputs: ['src/**'], workspace: 'in-place' },
  });

  it('runs alone in the folder, and is blocked while that lacks what it needs', async () => {
    await using workspace = await ScratchWorkspace.create({ ...FILES, 'gateline.yml': GATE });
    const log = workspace.beside('log');
    const run = await workspace.gateline(['run', '-q', '--json'], { env: { LOG: log } });
    expect(run.code, run.stderr).toBe(2);
    expect(run.stderr).toMatch(/^last: blocked: GATE_NOT_APPLIED: .*a\.txt/m);
    expect(await workspace.read('src/app.txt')).toBe('old\nhere\n');
    expect(existsSync(workspace.path('a.txt'))).toBe(false);
    const events = (await filesText(log)).trim().split('\n');
    expect(events.toSorted()).toEqual(['+a', '+b', '+c', '+here', '-a', '-b', '-c', '-here']);
    const at = events.indexOf('+here');
    expect(events[at + 1]).toBe('-here');
    const open = events.slice(0, at).reduce((count, event) => count + (event.startsWith('+') ? 1 : -1), 0);
    expect(open).toBe(0);

    expect(await workspace.gateline(['apply'])).toMatchObject({ code: 0 });
    const again = await workspace.gateline(['run', '-q', '--json'], { env: { LOG: log } });
    expect(again.code, again.stderr).toBe(0);
    expect(choicesOf(again)).toMatchObject({ a: 'keep', here: 'keep', last: 'run' });
  });

  it.runIf(IS_FULL)('waits while an agent that runs by itself has the folder', async () => {
    const gates = { here: { run: writes(1), inputs: [], workspace: 'in-place' }, own: { inputs: [] } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const begun = await begin(workspace, 'own');
    const run = await workspace.gateline(['run', '-q', '--json']);
    expect(run.code, run.stderr).toBe(75);
    expect(statusOf(run).gates.find(({ key }) => key === 'here')).toMatchObject({ status: 'ready', attempts: 0 });
    expect((await complete(workspace, begun)).code).toBe(0);
    expect((await workspace.gateline(['run', '-q'])).code).toBe(0);
  });
});

async function filesText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(path, 'utf8');
}
