import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline } from './in-process.ts';

const METADATA = { domain: 'demoqa_com', feature: 'form', url: 'https://demoqa.com/' };
const OWN = '.state/demoqa_com-form-gate0-output.json';

/** What an agent of the state guide writes. */
function envelope(more: object = {}): string {
  const validation = { score: 95, issues: ['one field is unsure'], passed: true };
  const state = { gate: 0, agent: 'A', status: 'SUCCESS', metadata: METADATA, output: { cases: 3 }, validation };
  return JSON.stringify({ ...state, ...more });
}

const writing = (text: string): string => `mkdir -p .state && cat > ${OWN} <<'END'\n${text}\nEND\n`;

async function workspaceWith(gate: object): Promise<ScratchWorkspace> {
  const definition = { metadata: METADATA, gates: { make: { inputs: [], ...gate } } };
  return ScratchWorkspace.create({ 'gateline.yml': JSON.stringify(definition) });
}

it('the output of an agent that writes only its state file is taken from there, in a work tree', async () => {
  await using workspace = await workspaceWith({
    run: writing(envelope()),
    output: { schema: { required: ['cases'] } },
  });
  const { code, out } = await gateline(workspace.root, ['run']);
  expect({ code, out }).toMatchObject({ code: 0 });
  const shown = JSON.parse(await workspace.read(OWN)) as { validation: object; output: object };
  expect(shown).toMatchObject({ output: { cases: 3 }, validation: { score: 100, passed: true } });
  expect(JSON.stringify(shown.validation)).toContain('SUCCESS with a score of 95');
});

it('and in the folder of the user, between begin and complete; what lay there before is no output', async () => {
  await using workspace = await workspaceWith({});
  await workspace.write(OWN, envelope({ output: 'of another tool' }));
  const begun = async (): Promise<string> => {
    const { out, err } = await gateline(workspace.root, ['begin', 'make', '--json']);
    if (out === '') throw new Error(err);
    return (JSON.parse(out) as { token: string }).token;
  };
  const first = await gateline(workspace.root, ['complete', '--token', await begun()]);
  expect(first.err + first.out).toContain('missing');
  const token = await begun();
  await workspace.write(OWN, envelope());
  expect((await gateline(workspace.root, ['complete', '--token', token])).code).toBe(0);
  expect((await gateline(workspace.root, ['show', 'make', 'output'])).out).toContain('"cases": 3');
  expect(JSON.parse(await workspace.read(OWN))).toMatchObject({ gateline: { status: 'passed' } });
});

it('with mirror: [state-guide], the lines of the guide are printed: what was loaded and what was created', async () => {
  const second = { needs: 'make', inputs: [], run: `cp ${OWN} "$GATELINE_OUTPUT"` };
  const gates = { make: { inputs: [], run: writing(envelope()) }, use: second, own: { inputs: [], needs: 'use' } };
  const metadata = METADATA;
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify({ metadata, mirror: ['state-guide'], gates }),
  });
  const { out, err } = await gateline(workspace.root, ['run', '-q', '--until', 'use']);
  const lines = out + err;
  expect(lines).toContain(`make: State file created: ${OWN}: Status: SUCCESS, Score: 100%`);
  expect(lines).toContain(`use: State file loaded: ${OWN}: Status: SUCCESS, Score: 100%`);
  const used = OWN.replace('gate0', 'gate1');
  const begun = await gateline(workspace.root, ['begin', 'own', '--json']);
  expect(begun.err).toContain(`note: own: State file loaded: ${used}: Status: SUCCESS, Score: 100%`);
  const { token } = JSON.parse(begun.out) as { token: string };
  const ended = await gateline(workspace.root, ['complete', '--token', token]);
  expect(ended.err).toContain(
    `note: own: State file created: ${OWN.replace('gate0', 'gate2')}: Status: FAILED, Score: 0%`,
  );
  const again = async (mirror: string): Promise<string> => {
    const forced = ['--until', 'use', '--force', 'use', '--reason', 'again'];
    const answer = await gateline(workspace.root, ['run', '-q', '--mirror', mirror, ...forced]);
    expect(answer.out).toMatch(/use +passed +ran/);
    return answer.out + answer.err;
  };
  expect(await again('nexus')).not.toContain('State file');
  expect(await again('state-guide')).toContain(`use: State file loaded: ${OWN}`);
});

it('fails with the issues in a file that says FAILED, too, if the agent then ends with an exit code', async () => {
  for (const output of [{ cases: 3 }, null]) {
    await using workspace = await workspaceWith({ run: `${writing(envelope({ status: 'FAILED', output }))}\nexit 3` });
    await gateline(workspace.root, ['run', '-q']);
    const { out } = await gateline(workspace.root, ['show', 'make']);
    expect(out).toContain('exit code 3');
    expect(out).toContain('one field is unsure');
  }
});

it('names numbers that lost digits, with their place in the output', async () => {
  const text = envelope().replace('"cases":3', '"cases":12345678901234567890');
  await using workspace = await workspaceWith({ run: writing(text) });
  await gateline(workspace.root, ['run', '-q']);
  const { out } = await gateline(workspace.root, ['show', 'make']);
  expect(out).toMatch(/\/cases\b.*beyond 2\^53|beyond 2\^53.*\/cases\b/);
});

it.each([
  ['FAILED', envelope({ status: 'FAILED' }), 'agent-error', /one field is unsure/],
  ['another number', envelope({ gate: 1 }), 'schema', /\/gate: expected 0, the number of this gate, found 1/],
  ['no JSON', '{"gate": 0', 'malformed', /gate0-output\.json: /],
  ['no output in it', envelope({ output: undefined }), 'schema', /\/output: /],
] as const)('fails for %s', async (_, text, kind, message) => {
  await using workspace = await workspaceWith({ run: writing(text) });
  await gateline(workspace.root, ['run', '-q']);
  const { out } = await gateline(workspace.root, ['show', 'make']);
  expect(out).toContain(kind);
  expect(out).toMatch(message);
});

it('does not follow a link in the place of the file, or of the folder', async () => {
  const secret = 'mkdir -p .state && ln -s "$PLACE/secret.json" ';
  for (const run of [`${secret}${OWN}`, 'rm -rf .state && ln -s "$PLACE" .state']) {
    await using workspace = await workspaceWith({ run, env: { PLACE: null } });
    const name = run.includes('rm -rf') ? OWN.replace('.state/', '') : 'secret.json';
    const place = workspace.beside('elsewhere');
    await mkdir(place);
    await writeFile(`${place}/${name}`, envelope());
    const { code } = await gateline(workspace.root, ['run', '-q'], { environment: { PLACE: place } });
    expect(code).not.toBe(0);
    expect((await gateline(workspace.root, ['show', 'make', 'output'])).out).not.toContain('cases');
  }
});
