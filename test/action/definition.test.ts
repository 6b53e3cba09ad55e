import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  describeDefinition,
  describesGate,
  readTrustedDefinition,
  requireCheckout,
} from '../../src/action/gate/definition.ts';
import { trustCheckout } from '../../src/action/services.ts';
import { createGit } from '../../src/workspace/git.ts';
import { createJob, createNeed, inputsOf } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateline-definition-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const definition = (prompt: string): string =>
  `pipeline: chain\ngates: {design: {run: ${prompt}, output: {schema: schema.json}}}\n`;
const origin = join(folder, 'origin');
let [base, head] = ['', ''];
beforeAll(() => {
  mkdirSync(origin);
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'config', 'uploadpack.allowFilter', 'true');
  const commit = (files: Readonly<Record<string, string>>): string => {
    write(origin, files);
    git(origin, 'add', '-A');
    git(origin, 'commit', '-qm', 'a change');
    return git(origin, 'rev-parse', 'HEAD').trim();
  };
  const schema = '{"type": "object"}';
  base = commit({
    'gateline.yml': definition('base'),
    'schema.json': schema,
    'app/gateline.yml': definition('app-base'),
  });
  head = commit({
    'gateline.yml': definition('head'),
    'app/gateline.yml': definition('app'),
    'app/schema.json': schema,
  });
});

let count = 0;
function clone(...options: string[]): string {
  const path = join(folder, `clone-${(count += 1)}`);
  git(folder, 'clone', '-q', ...options, `file://${origin}`, path);
  return path;
}
/** Reads as the step of a job does; `remote` has the paths that REST was asked for. */
async function read(checkout: string, commit: string, file?: string, needsCheckout = true) {
  const remote: string[] = [];
  const readRemote = async (sha: string, path: string): Promise<Uint8Array | undefined> => {
    remote.push(path);
    const args = ['cat-file', 'blob', `${sha.replace('refs/heads/', '')}:${path}`];
    try {
      return execFileSync('git', args, { cwd: origin, stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return undefined;
    }
  };
  const job = createJob({ trust: { definitionFrom: commit, usesFrom: [], savesPointers: true, isOutside: false } });
  const place = { checkout, git: createGit(trustCheckout(process.env)), readRemote };
  if (needsCheckout) await requireCheckout(place);
  const { pipeline, root, file: name } = await readTrustedDefinition(job, file, place);
  return { run: pipeline.gates[0]!.run, root, file: name, remote };
}

describe('the definition of a job', () => {
  it('is that of the trusted commit, whatever a step before has changed', async () => {
    const checkout = clone();
    write(checkout, { 'gateline.yml': definition('evil'), 'schema.json': 'true' });
    git(checkout, 'add', '-A');
    git(checkout, 'commit', '-qm', 'evil');
    git(checkout, 'replace', '-f', head, 'HEAD');
    git(checkout, 'update-ref', 'refs/heads/trunk', 'HEAD');
    expect(await read(checkout, head)).toEqual({ run: 'head', root: checkout, file: 'gateline.yml', remote: [] });
    rmSync(join(checkout, 'gateline.yml'));
    expect((await read(checkout, base)).run).toBe('base');
    // A branch of the clone can be moved: GitHub says what it is.
    expect(await read(checkout, 'refs/heads/main')).toMatchObject({
      run: 'head',
      remote: ['gateline.yml', 'schema.json'],
    });
  });

  it('is read over REST where the clone does not have it', async () => {
    const shallow = clone('--depth', '1');
    expect(await read(shallow, head)).toMatchObject({ run: 'head', remote: [] });
    expect(await read(shallow, base)).toMatchObject({ run: 'base', remote: ['gateline.yml', 'schema.json'] });
    const blobless = clone('--filter=blob:none', '--no-checkout');
    expect(await read(blobless, base)).toMatchObject({ run: 'base', remote: ['gateline.yml', 'schema.json'] });
    const sparse = clone('--sparse');
    expect(await read(sparse, head, 'app/gateline.yml')).toMatchObject({ run: 'app', remote: [] });
    const none = join(folder, 'none');
    mkdirSync(none);
    expect(await read(none, head, undefined, false)).toMatchObject({ run: 'head' });
  });

  it('may be in a folder of the checkout, where its gates then work', async () => {
    const checkout = clone();
    const root = join(checkout, 'app');
    expect(await read(checkout, head, 'app/gateline.yml')).toEqual({
      run: 'app',
      root,
      file: 'gateline.yml',
      remote: [],
    });
    expect(await read(root, head)).toEqual({ run: 'app', root, file: 'gateline.yml', remote: [] });
    const shallow = clone('--depth', '1');
    await expect(read(join(shallow, 'app'), base)).rejects.toThrow('schema.json does not exist');
    await expect(read(checkout, head, '../gateline.yml')).rejects.toThrow('outside of the checkout');
  });

  it.each([
    ['a folder without a checkout', () => join(folder, 'empty'), undefined, 'holds no checkout'],
    ['a folder that is not there', () => join(folder, 'nowhere'), undefined, 'holds no checkout'],
    ['a commit without the file', () => origin, 'other.yml', 'has no other.yml'],
    ['a folder in its place', () => origin, 'app', 'has no app'],
  ])('is missed with advice: %s', async (_, checkout, file, message) => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const error = await read(checkout(), head, file).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ fault: 'usage', message: expect.stringContaining(message) as string });
    if (message === 'holds no checkout')
      expect(error).toMatchObject({ hint: expect.stringContaining('`path: sub`') as string });
  });

  it.runIf(process.getuid?.() === 0)('is read from a checkout of another user, as in a container', async () => {
    const checkout = clone();
    chownSync(checkout, 4_242, 4_242);
    chownSync(join(checkout, '.git'), 4_242, 4_242);
    expect(await read(join(checkout, 'app'), head)).toMatchObject({ run: 'app', remote: [] });
  });
});

describe('a gate that the inputs of its step describe', () => {
  const describeGate = (values: Readonly<Record<string, string>>, needs = [] as ReturnType<typeof createNeed>[]) => {
    const job = createJob({ job: 'Code_Review', workflow: '.github/workflows/My Gates.yaml' });
    const trust = { ...job.trust, definitionFrom: head };
    const place = { checkout: origin, git: createGit(process.env), readRemote: () => Promise.resolve(undefined) };
    return describeDefinition({ ...job, trust }, inputsOf('gate', values), needs, place);
  };

  it('is the one gate of its pipeline, named after job and workflow', async () => {
    const schema = 'type: object\nrequired: [ok]';
    const { pipeline, contracts } = await describeGate({ run: 'make', schema, score: '/score', threshold: '90' });
    expect([pipeline.id, pipeline.gates.map(({ id }) => id)]).toEqual(['my-gates', ['code_review']]);
    expect(contracts.get('code_review')).toMatchObject({
      schema: { required: ['ok'] },
      score: '/score',
      threshold: 90,
    });
    const other = await describeGate({ schema: 'schema.json', gate: 'lint', files: 'changed', inputs: '*.md\nsrc/**' });
    expect(other.pipeline.gates[0]).toMatchObject({ id: 'lint', files: 'changed', inputs: ['*.md', 'src/**'] });
    expect(other.contracts.get('lint')!.schema).toEqual({ type: 'object' });
  });

  it('needs the gates whose outputs its job is handed, with their legs', async () => {
    const legs = ['a', 'b'].map((leg) => createNeed({ unit: `build/${leg}`, legs: ['a', 'b'] }, { id: 'job-2' }));
    const { pipeline } = await describeGate({ run: 'make' }, [createNeed(), ...legs]);
    expect(pipeline.gates.at(-1)!.needs).toEqual(['design', 'build']);
    expect(pipeline.gates[1]!.matrix).toMatchObject({ legs: [{ id: 'a' }, { id: 'b' }] });
  });

  it.each([
    [{ run: 'make', file: 'gateline.yml' }, 'described twice: by `file`'],
    [{ definition: 'retries: 1', threshold: '90', score: '/score' }, 'described twice: by `definition`'],
    [{ definition: '[a' }, 'the input `definition` is not YAML'],
    [{ definition: '- a' }, 'is not a map'],
    [{ schema: 'a: b: c' }, 'the input `schema` is not YAML'],
    [{ schema: 'none.json' }, /^the inputs of the step: gates\.code_review\.output\.schema: none.json does not exist/],
    [{ definition: 'retrys: 1' }, 'retrys'],
  ])('is refused: %j', async (values, message) => {
    await expect(describeGate(values)).rejects.toThrow(message);
    await expect(describeGate(values)).rejects.toMatchObject({ fault: 'usage', place: undefined });
  });

  it('may have any key of a gate, with its command beside', async () => {
    const { pipeline } = await describeGate({ run: 'make', definition: 'retries: 2\napproval: required' });
    expect(pipeline.gates[0]).toMatchObject({ run: 'make', retries: 2, approval: 'required' });
    // Nobody has a file with these lines.
    expect(pipeline.gates[0]!.place).toEqual({ file: 'the inputs of the step' });
  });

  it('is described by any of its keys, and not by what only passes values', () => {
    for (const name of ['run', 'schema', 'score', 'threshold', 'checks', 'inputs', 'files', 'secrets', 'definition'])
      expect([name, describesGate(inputsOf('gate', { [name]: '1' }))]).toEqual([name, true]);
    const rest = { gate: 'a', needs: '{}', subject: 'x', task: 'y', input: '1', resume: '3', path: 'sub' };
    expect(describesGate(inputsOf('gate', rest))).toBe(false);
  });
});
