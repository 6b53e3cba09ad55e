import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { filesBelow, readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';

/** Holds what each form writes in its own way: quotes and a backslash (JSON), signs (URL), and enough of it. */
const SECRET = 'k3y/"one"\\+two&three=four five-ünï';

/** A value as JSON, URLs, base64 and the like write it. */
function formsOf(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret);
  return {
    raw: secret,
    json: JSON.stringify(secret).slice(1, -1),
    url: encodeURIComponent(secret),
    form: new URLSearchParams({ a: secret }).toString().slice(2),
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
  };
}

/** Forms that must never be kept. Hex is not among those that are promised. */
const PROMISED = ['raw', 'json', 'url', 'form', 'base64', 'base64url'] as const;

const AGENT = `
import { writeFileSync } from 'node:fs';
const forms = JSON.parse(process.env.FORMS);
const secret = process.env.API_KEY;
for (const [name, text] of Object.entries(forms)) {
  console.log('out', name, text, 'end');
  console.error('err', name, text, 'end');
}
process.stdout.write('in ');
process.stdout.write(secret.slice(0, 9));
await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(secret.slice(9) + '\\nAuthorization: Basic ' + Buffer.from('me:' + secret).toString('base64') + '\\n');
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ ...forms, ['key ' + secret]: [1, { deep: 'x' + secret + 'y' }] }));
writeFileSync(process.env.GATELINE_METRICS, JSON.stringify({ model: 'm ' + secret, tools: Object.values(forms) }));
writeFileSync(process.env.GATELINE_LEARNINGS, Object.values(forms).map((text) => '- ' + text + '\\n').join(''));
`;

const gate = (id: string, end: string): string => `
  ${id}:
    inputs: [agent.mjs]
    secrets: [API_KEY]
    run: |
      node agent.mjs
      ${end}
`;

const PIPELINE = `
pipeline: secrets
subject: secrets
gates:
${gate('passes', 'true')}
${gate('fails', 'exit 1')}
${gate('writes', 'printf "key=%s" "$API_KEY" > kept.txt')}    files: [kept.txt]
${gate('malformed', 'printf "%s is no JSON" "$API_KEY" > "$GATELINE_OUTPUT"')}
  link:
    inputs: [agent.mjs]
    secrets: [API_KEY]
    run: |
      printf '"%s"' "$API_KEY" > "$GATELINE_OUTPUT.real"
      mv "$GATELINE_OUTPUT.real" "$BESIDE" && ln -s "$BESIDE/output.json.real" "$GATELINE_OUTPUT"
  large:
    inputs: [agent.mjs]
    secrets: [API_KEY]
    run: |
      printf '"%s' "$API_KEY" > "$GATELINE_OUTPUT"
      truncate -s 300M "$GATELINE_OUTPUT"
  judged:
    inputs: [agent.mjs]
    secrets: [API_KEY]
    run: node agent.mjs
    output:
      schema: { type: object, additionalProperties: { type: integer } }
`;

/** Writes the secret wherever it may, and sleeps; the next time it answers at once. */
const SLEEPER = `
pipeline: sleeper
subject: secrets
gates:
  sleeper:
    inputs: []
    secrets: [API_KEY]
    run: |
      if [ -e "$BESIDE/written" ]; then echo '{}' > "$GATELINE_OUTPUT"; exit 0; fi
      for file in "$GATELINE_OUTPUT" "$GATELINE_METRICS" "$GATELINE_LEARNINGS"; do echo "$API_KEY" > "$file"; done
      echo yes > "$BESIDE/written"
      sleep 60
`;

/** The object store holds versions of the workspace as they are: nobody else may look, and nothing of it is uploaded. */
const OBJECTS = 'git/objects/';

/** Files below `.state` that hold no version of the workspace. */
async function keptFiles(workspace: ScratchWorkspace): Promise<string[]> {
  const files = await filesBelow(workspace.path('.state'), []);
  return files.filter((file) => !file.startsWith(OBJECTS));
}

describe.runIf(process.platform !== 'win32')('a secret that an agent tells in every way', () => {
  it('stands nowhere below .state, in no form, and is not printed', async () => {
    const forms = formsOf(SECRET);
    const pieces = PROMISED.map((name) => forms[name]!);
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': PIPELINE,
      'agent.mjs': AGENT,
      '.gitignore': 'kept.txt\n',
    });
    const promised = Object.fromEntries(PROMISED.map((name) => [name, forms[name]]));
    const env = { API_KEY: SECRET, FORMS: JSON.stringify(promised), BESIDE: workspace.beside('') };
    const result = await workspace.gateline(['run'], { env });
    expect(result.code).toBe(1);
    const kinds = Object.fromEntries(
      (await workspace.records()).flatMap((one) => (one.kind === 'ended' ? [[one.gate, one.verdict.kind]] : [])),
    );
    expect(kinds).toEqual({
      passes: 'passed',
      fails: 'agent-error',
      writes: 'files',
      malformed: 'malformed',
      link: 'missing',
      large: 'too-large',
      judged: 'schema',
    });
    for (const piece of pieces) {
      expect(result.stdout).not.toContain(piece);
      expect(result.stderr).not.toContain(piece);
    }
    const found: string[] = [];
    const state = workspace.path('.state');
    const files = await keptFiles(workspace);
    for (const file of files) {
      const bytes = await readFile(join(state, file));
      for (const name of PROMISED) if (bytes.includes(forms[name]!)) found.push(`${name} in ${file}`);
      if (bytes.includes(Buffer.from(`me:${SECRET}`).toString('base64').slice(8, -4))) found.push(`basic in ${file}`);
    }
    expect(found).toEqual([]);
    for (const folder of ['.state', '.state/git', '.state/git/objects'])
      expect((await stat(workspace.path(folder))).mode & 0o777, folder).toBe(0o700);
    expect(files.length).toBeGreaterThan(40);
    const shown = await workspace.gateline(['show', 'passes', 'stdout']);
    expect(shown.stdout).toContain('out raw *** end');
    console.log(`a secret in ${PROMISED.length} forms: in none of ${files.length} files below .state`);
  });

  it('is gone once the run goes on after a kill that kept us from reading what the agent wrote', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': SLEEPER });
    const env = { API_KEY: SECRET, BESIDE: workspace.beside('') };
    const command = workspace.start(['run', '-q'], { env });
    while ((await readIfThere(workspace.beside('written'))) === '') await sleep(20);
    command.process.kill('SIGKILL');
    await command.ended;
    const result = await workspace.gateline(['run', '-q'], { env });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    const state = workspace.path('.state');
    const files = await keptFiles(workspace);
    const bytes = await Promise.all(files.map((file) => readFile(join(state, file))));
    expect(files.filter((_, at) => bytes[at]!.includes(SECRET))).toEqual([]);
  });
});
