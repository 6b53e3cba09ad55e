/**
 * A gate of GitHub's own parts, as a workflow without Gateline would have it: actions/download-artifact,
 * actions/cache/restore, a check of the schema, actions/upload-artifact and actions/cache/save, each a process. Their
 * published bundles cannot be had everywhere, so this is a bundle of the libraries that they consist of, each loaded at
 * the start of its step. `STEP` names the step.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { env } = process;
const folder = env['RUNNER_TEMP'];
const checkpoint = [join(folder, 'checkpoint')];

const STEPS = {
  async download() {
    const { DefaultArtifactClient } = await import('@actions/artifact');
    const client = new DefaultArtifactClient();
    const { artifacts } = await client.listArtifacts({ latest: true });
    const { id, digest } = artifacts.find(({ name }) => name === 'design');
    await client.downloadArtifact(id, { path: join(folder, 'design'), expectedHash: digest });
  },
  async restore() {
    const { restoreCache } = await import('@actions/cache');
    await restoreCache(checkpoint, `gate-${env['GITHUB_RUN_ID']}`, ['gate-']);
  },
  async check() {
    const { default: Ajv2020 } = await import('ajv/dist/2020.js');
    const [schema, output] = ['schema.json', 'output.json'].map((name) => JSON.parse(readFileSync(join(folder, name))));
    if (!new Ajv2020().validate(schema, output)) throw new Error('the output does not match its schema');
  },
  async upload() {
    const { DefaultArtifactClient } = await import('@actions/artifact');
    await new DefaultArtifactClient().uploadArtifact(env['GITHUB_JOB'], [join(folder, 'output.json')], folder);
  },
  async save() {
    const { saveCache } = await import('@actions/cache');
    await saveCache(checkpoint, `gate-${env['GITHUB_RUN_ID']}`);
  },
};

await import('@actions/core');
await STEPS[env['STEP']]();
