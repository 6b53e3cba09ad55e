import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { gateline } from './in-process.ts';

const METADATA = { domain: 'demoqa_com', feature: 'form' };
const FILE = '.state/demoqa_com-form-gate0-output.json';

function envelope(output: unknown, more: object = {}): string {
  const validation = { score: 77, issues: [], passed: true };
  const metadata = { ...METADATA, url: '' };
  return JSON.stringify({ gate: 0, agent: 'Tool', status: 'SUCCESS', metadata, output, validation, ...more });
}

/** `make` fails; `use` writes what it was given as its output. */
function workspaceWith(output: object = {}): Promise<ScratchWorkspace> {
  const run = `node -e 'const r = JSON.parse(require("fs").readFileSync(process.env.GATELINE_REQUEST)); require("fs").writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(r.needs))'`;
  const gates = { make: { run: 'exit 1', inputs: [], output }, use: { needs: 'make', run, inputs: [] } };
  return ScratchWorkspace.create({ 'gateline.yml': JSON.stringify({ metadata: METADATA, gates }) });
}

const standIn = (root: string, ...more: string[]) => gateline(root, ['run', '-q', '-g', 'use', '--stand-in', ...more]);
const given = async (root: string): Promise<unknown> => {
  const { out } = await gateline(root, ['show', 'use', 'output']);
  return (JSON.parse(out) as { make: unknown }).make;
};

describe('--stand-in', () => {
  it('gives an agent the exports of a state file, with who made it, and nothing passes by it', async () => {
    await using workspace = await workspaceWith({ exports: ['/a'], score: '/score', threshold: 80 });
    await workspace.write(FILE, envelope({ a: 1, b: 2 }, { status: 'PARTIAL' }));
    const { code, err } = await standIn(workspace.root);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('is only PARTIAL') as string });
    expect(await given(workspace.root)).toMatchObject({
      standIn: 'file',
      status: 'PARTIAL',
      score: 77,
      agent: 'Tool',
      output: { a: 1 },
    });
    const { out } = await gateline(workspace.root, ['status']);
    expect(out).toMatch(/make +ready +stand-in \(file\)/);
    expect(out).toContain('0 of 2 gates done');
  });

  it('lays the file next to the agent in its work tree, as the state guide expects it', async () => {
    const use = { needs: 'make', run: `cp ${FILE} "$GATELINE_OUTPUT"`, inputs: [] };
    const make = { run: 'exit 1', inputs: [], secrets: ['TOKEN'] };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': JSON.stringify({ metadata: METADATA, mirror: ['state-guide'], gates: { make, use } }),
    });
    const environment = plainEnvironment({ TOKEN: 'very-secret-value' });
    await workspace.write(FILE, envelope({ a: 'very-secret-value', b: 2 }));
    const ran = await gateline(workspace.root, ['run', '-q', '-g', 'use', '--stand-in'], { environment });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('stand-in (file) for make from Tool: Status: SUCCESS, Score: 77%');
    const { out } = await gateline(workspace.root, ['show', 'use', 'output']);
    expect(JSON.parse(out)).toEqual(JSON.parse(envelope({ a: '***', b: 2 })));
    expect(JSON.parse(await workspace.read(FILE))).toEqual(JSON.parse(envelope({ a: 'very-secret-value', b: 2 })));
  });

  it('takes a file that was put there after the gate failed here', async () => {
    await using workspace = await workspaceWith();
    await gateline(workspace.root, ['run', '-q']);
    await workspace.write(FILE, envelope({ a: 1 }));
    expect(await standIn(workspace.root)).toMatchObject({ code: 0 });
    expect(await given(workspace.root)).toMatchObject({ standIn: 'file', output: { a: 1 } });
    expect(await workspace.read(FILE)).toBe(envelope({ a: 1 }));
    await workspace.write(FILE, envelope({ a: 1 }, { status: 'DONE' }));
    expect((await standIn(workspace.root, '--force', 'use', '--reason', 'x')).err).toMatch(
      /STATE_FILE_INVALID.*\/status/s,
    );
    expect(await workspace.read(FILE)).toContain('DONE');
  });

  it.each([
    ['/gate', envelope(1, { gate: 3 })],
    ['/metadata/domain', envelope(1, { metadata: { ...METADATA, url: 'u', domain: 'other' } })],
    ['/metadata/url', envelope(1, { metadata: { ...METADATA, url: 'https://other.test/' } })],
  ])('refuses a file that is about something else: %s', async (pointer, text) => {
    await using workspace = await workspaceWith();
    await workspace.edit('gateline.yml', '"feature":"form"', '"feature":"form","url":"u"');
    await workspace.write(FILE, text);
    const { code, err } = await standIn(workspace.root);
    expect(code).not.toBe(0);
    expect(err).toContain('STATE_FILE_INVALID');
    expect(err).toContain(`${pointer}: expected`);
    await workspace.edit('gateline.yml', ',"url":"u"', '');
    // What the run has no value for is not compared.
    if (pointer === '/metadata/url') expect((await standIn(workspace.root)).err).not.toContain('STATE_FILE_INVALID');
  });

  it('takes the input where there is no usable file', async () => {
    await using workspace = await workspaceWith();
    await workspace.write(FILE, envelope({ a: 1 }, { status: 'FAILED' }));
    await workspace.write('input.json', '{"needs": {"make": {"own": 1}}}');
    await standIn(workspace.root, '--input', 'input.json');
    expect(await given(workspace.root)).toMatchObject({ standIn: 'input', output: { own: 1 } });
  });

  it('judges both by the contract of the gate, with each place', async () => {
    await using workspace = await workspaceWith({
      schema: { type: 'object', properties: { a: { type: 'array' }, b: { type: 'string' } } },
      checks: ["output.b != 'x'"],
      score: '/score',
    });
    await workspace.write(FILE, envelope({ a: 1, b: 2 }));
    const wrong = await standIn(workspace.root);
    expect(wrong.err).toMatch(/STAND_IN_REFUSED: .*gate0-output\.json.*\/output\/a: .*\/output\/b: /s);
    await workspace.write(FILE, envelope({ a: [], b: 'x' }));
    expect((await standIn(workspace.root)).err).toContain('STAND_IN_REFUSED');
    await workspace.write(FILE, envelope({ a: [], b: 'y' }));
    expect((await standIn(workspace.root)).err).not.toContain('STAND_IN_REFUSED');
    await using other = await workspaceWith({ schema: { required: ['a'] } });
    await other.write('input.json', '{"needs": {"make": {}}}');
    expect((await standIn(other.root, '--input', 'input.json')).err).toMatch(
      /STAND_IN_REFUSED: the input: .*needs\/make/,
    );
  });
});
