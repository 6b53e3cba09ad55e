/**
 * One gate built from GitHub's own parts, one process per step, as a workflow without Gateline would have them:
 * actions/download-artifact, actions/cache/restore, a script that checks the schema, actions/upload-artifact,
 * actions/cache/save and a sticky comment. The published bundles are not available everywhere, so each step is a bundle
 * of the action's library, loaded at startup like theirs. `STEP` names the step.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { env } = process;
const folder = env.RUNNER_TEMP;

const STEPS = {
  async download() {
    const { DefaultArtifactClient } = await import('@actions/artifact');
    const client = new DefaultArtifactClient();
    const { artifacts } = await client.listArtifacts({ latest: true });
    const found = artifacts.find(({ name }) => name === 'design');
    await client.downloadArtifact(found.id, { path: join(folder, 'design'), expectedHash: found.digest });
  },
  async restore() {
    const { restoreCache } = await import('@actions/cache');
    await restoreCache([join(folder, 'checkpoint')], `gate-${env.GITHUB_SHA}`, ['gate-']);
  },
  async check() {
    const { registerSchema, validate } = await import('@hyperjump/json-schema/draft-2020-12');
    registerSchema(JSON.parse(readFileSync(env.SCHEMA, 'utf8')), 'https://example.test/schema');
    const valid = await validate('https://example.test/schema', JSON.parse(readFileSync(env.OUTPUT, 'utf8')), 'FLAG');
    if (!valid.valid) process.exitCode = 1;
  },
  async upload() {
    const { DefaultArtifactClient } = await import('@actions/artifact');
    await new DefaultArtifactClient().uploadArtifact(env.NAME, [env.OUTPUT], folder);
  },
  async save() {
    const { saveCache } = await import('@actions/cache');
    await saveCache([join(folder, 'checkpoint')], `gate-${env.GITHUB_SHA}-${env.GITHUB_RUN_ID}-${env.ROUND}`);
  },
  async comment() {
    const { getOctokit } = await import('@actions/github');
    const octokit = getOctokit(env.TOKEN);
    const [owner, repo] = env.GITHUB_REPOSITORY.split('/');
    const at = { owner, repo };
    const { data } = await octokit.rest.issues.listComments({ ...at, issue_number: 7 });
    const sticky = data.find(({ body }) => body?.startsWith('<!-- sticky -->'));
    const body = `<!-- sticky -->\ngate code passed, round ${env.ROUND}`;
    if (sticky === undefined) await octokit.rest.issues.createComment({ ...at, issue_number: 7, body });
    else await octokit.rest.issues.updateComment({ ...at, comment_id: sticky.id, body });
  },
};

await import('@actions/core');
await STEPS[env.STEP]();
writeFileSync(join(folder, `${env.STEP}.done`), '');
